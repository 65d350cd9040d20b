/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/show_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/output/results_file.h"

enum { TEXTS_SIZE = 1 << 16 };

/* Texts that stay where they are: blocks, the last one first. */
struct show_texts {
        struct show_texts *next;
        size_t used, size;
        char text[];
};

void show_groups_init(struct show_groups *g, int32_t nkey, int32_t nmetric, bool keep)
{
        *g = (struct show_groups){ .nkey = nkey, .nmetric = nmetric, .keep = keep };
}

void show_groups_finish(struct show_groups *g)
{
        while (g->texts) {
                struct show_texts *next = g->texts->next;
                free(g->texts);
                g->texts = next;
        }
        free(g->group);
        free(g->mean);
        free(g->value);
        free(g->owner);
        free(g->slot);
        *g = (struct show_groups){ 0 };
}

/* ---- Which group ---- */

/* `size` bytes behind the texts so far, not taken yet; NULL without memory. */
static char *make_room(struct show_groups *g, size_t size)
{
        if (!g->texts || g->texts->size - g->texts->used < size) {
                size_t wanted = size > TEXTS_SIZE ? size : TEXTS_SIZE;
                struct show_texts *block = malloc(sizeof(*block) + wanted);
                if (!block)
                        return NULL;
                *block = (struct show_texts){ .next = g->texts, .size = wanted };
                g->texts = block;
        }
        return g->texts->text + g->texts->used;
}

/* The row's key behind the texts so far, where it stays if it is new; NULL without memory. */
static const char *join(struct show_groups *g, const char *const *key, int32_t *size)
{
        size_t total = 0;
        for (int32_t k = 0; k < g->nkey; k++)
                total += strlen(key[k]) + 1;
        char *text = make_room(g, total), *at = text;
        for (int32_t k = 0; text && k < g->nkey; k++) {
                size_t length = strlen(key[k]) + 1;
                memcpy(at, key[k], length);
                at += length;
        }
        *size = (int32_t)total;
        return text;
}

static bool is_key(const struct show_group *group, const char *key, int32_t size)
{
        return group->size == size && memcmp(group->key, key, (size_t)size) == 0;
}

/* The slot of a key, or the free one where it belongs. */
static int32_t *find_slot(const struct show_groups *g, const char *key, int32_t size)
{
        uint64_t mask = (uint64_t)g->nslot - 1;
        for (uint64_t i = lb_hash(key, (size_t)size, 0);; i++) {
                int32_t *slot = &g->slot[i & mask];
                if (*slot == 0 || is_key(&g->group[*slot - 1], key, size))
                        return slot;
        }
}

/* Twice as many groups; half of the slots stay free. */
static int grow(struct show_groups *g)
{
        int32_t capacity = g->capacity ? 2 * g->capacity : 64;
        size_t count = (size_t)capacity;
        if (capacity > INT32_MAX / 4)
                return -1;
        struct show_group *group = realloc(g->group, count * sizeof(*group));
        g->group = group ? group : g->group;
        struct mean *mean = realloc(g->mean, count * (size_t)g->nmetric * sizeof(*mean));
        g->mean = mean ? mean : g->mean;
        int32_t *slot = calloc(2 * count, sizeof(*slot));
        if (!group || !mean || !slot) {
                free(slot);
                return -1;
        }
        free(g->slot);
        g->slot = slot;
        g->nslot = 2 * capacity;
        g->capacity = capacity;
        for (int32_t i = 0; i < g->count; i++)
                *find_slot(g, group[i].key, group[i].size) = i + 1;
        return 0;
}

/* The group of a key, made where there is none; -1 without memory. */
static int32_t find(struct show_groups *g, const char *key, int32_t size)
{
        if (g->count > 0 && is_key(&g->group[g->last], key, size))
                return g->last;
        if (g->count == g->capacity && grow(g) < 0)
                return -1;
        int32_t *slot = find_slot(g, key, size);
        if (*slot == 0) {
                g->texts->used += (size_t)size;
                g->group[g->count] =
                    (struct show_group){ .key = key, .size = size, .place = g->count };
                memset(&g->mean[(int64_t)g->count * g->nmetric], 0,
                       (size_t)g->nmetric * sizeof(*g->mean));
                *slot = ++g->count;
        }
        return *slot - 1;
}

/* ---- Its values ---- */

static int keep_value(struct show_groups *g, double value, int32_t owner)
{
        if (g->nvalue == g->value_capacity) {
                int64_t capacity = g->value_capacity ? 2 * g->value_capacity : 1024;
                double *values = realloc(g->value, (size_t)capacity * sizeof(*values));
                g->value = values ? values : g->value;
                int32_t *owners = realloc(g->owner, (size_t)capacity * sizeof(*owners));
                g->owner = owners ? owners : g->owner;
                if (!values || !owners)
                        return -1;
                g->value_capacity = capacity;
        }
        g->value[g->nvalue] = value;
        g->owner[g->nvalue++] = owner;
        return 0;
}

static void count_in(struct mean *mean, double value)
{
        if (isnan(value))
                return;
        mean->count++;
        mean->sum += value;
        double off = value - mean->about;
        mean->about += off / (double)mean->count;
        mean->off_squares += off * (value - mean->about);
}

/* Another point's rows begin. */
static void end_point(struct show_group *group, uint64_t next)
{
        if (group->run > 0) {
                bool first = group->npoint++ == 0;
                group->fewest = first || group->run < group->fewest ? group->run : group->fewest;
                group->most = first || group->run > group->most ? group->run : group->most;
        }
        group->point = next;
        group->run = 0;
}

bool show_groups_again(struct show_groups *g)
{
        bool again = false;
        for (int32_t i = 0; i < g->count; i++) {
                end_point(&g->group[i], 0);
                g->group[i].limit = g->group[i].fewest;
                again |= g->group[i].fewest < g->group[i].most;
        }
        for (int32_t i = 0; again && i < g->count; i++)
                g->group[i].rows = 0;
        if (again) {
                memset(g->mean, 0, (size_t)g->count * (size_t)g->nmetric * sizeof(*g->mean));
                g->nvalue = 0;
        }
        return again;
}

int show_groups_add(struct show_groups *g, const char *const *key, uint64_t point,
                    const double *value, struct lb_error *err)
{
        int32_t size, group = -1;
        const char *text = join(g, key, &size);
        if (text)
                group = find(g, text, size);
        if (group < 0)
                return lb_error_fail(err, "out of memory");
        struct show_group *its = &g->group[group];
        g->last = group;
        if (its->run == 0 || its->point != point)
                end_point(its, point);
        its->run++;
        if (its->limit > 0 && its->run > its->limit)
                return 0;
        if (g->keep && keep_value(g, value[0], group) < 0)
                return lb_error_fail(err, "out of memory");
        its->rows++;
        for (int32_t m = 0; m < g->nmetric; m++)
                count_in(&g->mean[(int64_t)group * g->nmetric + m], value[m]);
        return 0;
}

/* ---- In order ---- */

/* The keys end together: they have the same number of texts. */
static int by_key(const void *left, const void *right)
{
        const struct show_group *x = left, *y = right;
        const char *a = x->key, *b = y->key;
        while (a < x->key + x->size) {
                int order = results_value_order(a, b);
                if (order)
                        return order;
                a += strlen(a) + 1;
                b += strlen(b) + 1;
        }
        return 0;
}

/* Values that came one by one, to their groups, each group's in the order in which they came. */
static int divide(struct show_groups *g)
{
        double *sorted = malloc((size_t)(g->nvalue + 1) * sizeof(*sorted));
        int64_t *next = calloc((size_t)g->count + 1, sizeof(*next)), first = 0;
        for (int32_t i = 0; sorted && next && i < g->count; i++) {
                g->group[i].first_value = next[g->group[i].place] = first;
                first += g->group[i].rows;
        }
        for (int64_t v = 0; sorted && next && v < g->nvalue; v++)
                sorted[next[g->owner[v]]++] = g->value[v];
        int status = sorted && next ? 0 : -1;
        free(next);
        if (status < 0) {
                free(sorted);
                return -1;
        }
        free(g->value);
        g->value = sorted;
        return 0;
}

int show_groups_sort(struct show_groups *g, struct lb_error *err)
{
        if (g->count > 1)
                qsort(g->group, (size_t)g->count, sizeof(*g->group), by_key);
        free(g->slot); /* of places that are no more */
        g->slot = NULL;
        return !g->keep || divide(g) == 0 ? 0 : lb_error_fail(err, "out of memory");
}

const char *show_group_text(const struct show_groups *g, int32_t group, int32_t key)
{
        const char *text = g->group[group].key;
        while (key-- > 0)
                text += strlen(text) + 1;
        return text;
}

bool show_groups_alike(const struct show_groups *g, int32_t a, int32_t b, int32_t nkey)
{
        for (int32_t k = 0; k < nkey; k++)
                if (strcmp(show_group_text(g, a, k), show_group_text(g, b, k)) != 0)
                        return false;
        return true;
}
