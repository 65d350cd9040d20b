/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of the zones, and who computes which. */
#include "models/multizone.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

const char *const multizone_benchmarks[] = { "bt", "sp", "lu", NULL };
const char *const multizone_classes[] = { "S", "W", "A", "B", "C", "D", NULL };
const char *const multizone_maps[] = { "packed", "block", "cyclic", NULL };

/* Points of the mesh, zones on a side, and how many times longer the largest zone of BT is than the
 * smallest, in either direction. */
static const struct {
        int32_t x, y, depth, side;
        double ratio;
} classes[MULTIZONE_NCLASS] = {
        [MULTIZONE_S] = { 24, 24, 6, 2, 3.0 },     [MULTIZONE_W] = { 64, 64, 8, 4, 4.5 },
        [MULTIZONE_A] = { 128, 128, 16, 4, 4.5 },  [MULTIZONE_B] = { 304, 208, 17, 8, 4.5 },
        [MULTIZONE_C] = { 480, 320, 28, 16, 4.5 }, [MULTIZONE_D] = { 1632, 1216, 34, 32, 4.5 },
};
enum { LU_SIDE = 4 };

/* The end of interval i of n (from 1): a geometric series, rounded as the benchmark does. */
static int32_t unequal_end(int32_t points, int32_t n, double ratio, int32_t i)
{
        double r = exp(log(ratio) / (n - 1));
        double smallest = points * (r - 1) / (pow(r, n) - 1);
        return (int32_t)(smallest * (pow(r, i) - 1) / (r - 1) + 0.45);
}

static void cut(int32_t points, int32_t n, double ratio, int32_t *size)
{
        int32_t begin = 0;
        for (int32_t i = 1; i <= n; i++) {
                int32_t end = ratio > 1 ? unequal_end(points, n, ratio, i)
                                        : (int32_t)((int64_t)i * points / n);
                size[i - 1] = end - begin;
                begin = end;
        }
}

void multizone_init(struct multizone *zones, enum multizone_benchmark benchmark,
                    enum multizone_class class)
{
        int32_t side = benchmark == MULTIZONE_LU ? LU_SIDE : classes[class].side;
        double ratio = benchmark == MULTIZONE_BT ? classes[class].ratio : 1;
        *zones = (struct multizone){
                .x_zones = side,
                .y_zones = side,
                .depth = classes[class].depth,
        };
        cut(classes[class].x, side, ratio, zones->x_size);
        cut(classes[class].y, side, ratio, zones->y_size);
}

/* ---- Who computes which ---- */

struct packing {
        const struct multizone *zones;
        int32_t *owner; /* -1: none yet */
        int32_t order[MULTIZONE_ZONE_MAX];
        int32_t nzone;
};

static int64_t zone_points(const struct multizone *zones, int32_t zone)
{
        return (int64_t)zones->x_size[zone % zones->x_zones] *
               zones->y_size[zone / zones->x_zones] * zones->depth;
}

/* Selection sort with the benchmark's exchanges: ties end in its order. */
static void sort_zones(struct packing *p)
{
        for (int32_t z = 0; z < p->nzone; z++)
                p->order[z] = z;
        for (int32_t i = 0; i + 1 < p->nzone; i++) {
                int32_t most = i;
                for (int32_t k = i + 1; k < p->nzone; k++)
                        if (zone_points(p->zones, p->order[k]) >
                            zone_points(p->zones, p->order[most]))
                                most = k;
                int32_t zone = p->order[i];
                p->order[i] = p->order[most];
                p->order[most] = zone;
        }
}

/* Boundary of a zone to those of a process; the mesh is a torus. */
static int32_t boundary(const struct packing *p, int32_t zone, int32_t process)
{
        int32_t nx = p->zones->x_zones, ny = p->zones->y_zones;
        int32_t x = zone % nx, y = zone / nx, sum = 0;
        sum += p->owner[(x + nx - 1) % nx + y * nx] == process ? p->zones->y_size[y] : 0;
        sum += p->owner[(x + 1) % nx + y * nx] == process ? p->zones->y_size[y] : 0;
        sum += p->owner[x + (y + ny - 1) % ny * nx] == process ? p->zones->x_size[x] : 0;
        sum += p->owner[x + (y + 1) % ny * nx] == process ? p->zones->x_size[x] : 0;
        return sum;
}

/* The next zone of a process: order[first], or one hardly smaller that has more boundary to it. */
static int32_t choose_zone(const struct packing *p, int32_t first, int32_t process)
{
        int32_t best = p->order[first], most = boundary(p, best, process);
        double size = (double)zone_points(p->zones, best);
        for (int32_t i = first + 1; i < p->nzone; i++) {
                int32_t zone = p->order[i];
                if ((size - (double)zone_points(p->zones, zone)) / size > 0.05)
                        break;
                if (p->owner[zone] < 0 && boundary(p, zone, process) > most) {
                        best = zone;
                        most = boundary(p, zone, process);
                }
        }
        return best;
}

static void pack(struct packing *p, int32_t nprocess)
{
        int64_t points[MULTIZONE_ZONE_MAX] = { 0 };
        sort_zones(p);
        for (int32_t z = 0; z < p->nzone; z++)
                p->owner[z] = -1;
        int32_t first = 0; /* in order; those before have an owner */
        while (first < p->nzone) {
                int32_t emptiest = 0;
                for (int32_t q = 1; q < nprocess; q++)
                        if (points[q] < points[emptiest])
                                emptiest = q;
                int32_t zone = choose_zone(p, first, emptiest);
                p->owner[zone] = emptiest;
                points[emptiest] += zone_points(p->zones, zone);
                while (first < p->nzone && p->owner[p->order[first]] >= 0)
                        first++;
        }
}

void multizone_owners(const struct multizone *zones, enum multizone_map map, int32_t nprocess,
                      int32_t *owner)
{
        int32_t nzone = zones->x_zones * zones->y_zones;
        if (map == MULTIZONE_PACKED) {
                struct packing packing = { .zones = zones, .owner = owner, .nzone = nzone };
                pack(&packing, nprocess);
                return;
        }
        int32_t each = nzone / nprocess, longer = nzone % nprocess;
        for (int32_t z = 0; z < nzone; z++) {
                bool early = z < longer * (each + 1);
                int32_t block = early ? z / (each + 1) : longer + (z - longer * (each + 1)) / each;
                owner[z] = map == MULTIZONE_CYCLIC ? z % nprocess : block;
        }
}
