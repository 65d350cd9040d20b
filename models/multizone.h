/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_MODELS_MULTIZONE_H
#define LB_MODELS_MULTIZONE_H

#include <stdint.h>

/*
 * Zones of the NAS multi-zone benchmarks (private to this room): the mesh of a class is cut into
 * x_zones by y_zones zones that reach through its whole depth. By the benchmarks' own rules (NPB
 * 3.3.1-MZ: sys/setparams.c, BT-MZ/zone_setup.f, mpi_setup.f; NAS Technical Report NAS-03-010).
 */
enum multizone_benchmark { MULTIZONE_BT = 0, MULTIZONE_SP, MULTIZONE_LU, MULTIZONE_NBENCHMARK };
enum multizone_class {
        MULTIZONE_S = 0,
        MULTIZONE_W,
        MULTIZONE_A,
        MULTIZONE_B,
        MULTIZONE_C,
        MULTIZONE_D,
        MULTIZONE_NCLASS
};
enum multizone_map { MULTIZONE_PACKED = 0, MULTIZONE_BLOCK, MULTIZONE_CYCLIC, MULTIZONE_NMAP };

/* The same as words, NULL-ended. */
extern const char *const multizone_benchmarks[], *const multizone_classes[],
                                                     *const multizone_maps[];

enum { MULTIZONE_SIDE_MAX = 32, MULTIZONE_ZONE_MAX = MULTIZONE_SIDE_MAX * MULTIZONE_SIDE_MAX };

/* Zone x + y * x_zones has x_size[x] by y_size[y] by depth points. */
struct multizone {
        int32_t x_zones, y_zones, depth;
        int32_t x_size[MULTIZONE_SIDE_MAX], y_size[MULTIZONE_SIDE_MAX];
};

void multizone_init(struct multizone *zones, enum multizone_benchmark benchmark,
                    enum multizone_class class);

/*
 * Which process computes each zone: owner[x_zones * y_zones], 0 .. nprocess-1.
 *
 * - block: as many zones each, in order; the first have one more where it does not divide.
 * - cyclic: zone z on process z mod nprocess.
 * - packed: zones in order of size, largest first, each to the process with fewest points so far;
 *   among zones within 5 % of it the one with most boundary to that process's zones.
 */
void multizone_owners(const struct multizone *zones, enum multizone_map map, int32_t nprocess,
                      int32_t *owner);

#endif
