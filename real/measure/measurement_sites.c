/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/measure/measurement.h"
#include "real/measure/place.h"
#include "real/measure/rank_file.h"

enum { SITES_NAMED = 20 };

/* A site of one rank. */
struct entry {
        const struct site *site;
        const char *module;
        double before_s;
};

static int by_place(const void *a, const void *b)
{
        const struct entry *left = a, *right = b;
        int order = strcmp(left->module, right->module);
        if (order == 0)
                order = (left->site->offset > right->site->offset) -
                        (left->site->offset < right->site->offset);
        return order ? order : strcmp(left->site->title, right->site->title);
}

/* Most load before it first, then most time in it. */
static int by_weight(const void *a, const void *b)
{
        const struct measurement_site *left = a, *right = b;
        double more = right->before_s + right->mpi_s - left->before_s - left->mpi_s;
        return (more > 0) - (more < 0);
}

static void add_site(struct measurement_site *sum, const struct entry *entry, double *most_s)
{
        sum->calls += entry->site->calls;
        sum->mpi_s += 1e-9 * entry->site->inside_ns;
        sum->before_s += entry->before_s;
        *most_s = fmax(*most_s, entry->before_s);
}

static void merge(struct measurement *m, struct entry *entry, size_t count)
{
        for (size_t i = 0; i < count;) {
                struct measurement_site *sum = &m->site[m->nsite++];
                double most_s = 0;
                size_t first = i;
                sum->offset = entry[i].site->offset;
                sum->is_line = entry[i].site->is_line;
                snprintf(sum->module, sizeof(sum->module), "%s", entry[i].module);
                snprintf(sum->title, sizeof(sum->title), "%s", entry[i].site->title);
                for (; i < count && by_place(&entry[first], &entry[i]) == 0; i++)
                        add_site(sum, &entry[i], &most_s);
                sum->imbalance = sum->before_s > 0 ? most_s * m->nrank / sum->before_s : NAN;
        }
}

static size_t collect(const struct measurement *m, struct entry *entry)
{
        size_t count = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                const struct rank_file *file = m->rank[i];
                for (int k = 0; k <= SITE_ROOM; k++) {
                        const struct site *site = &file->sites.site[k];
                        if (site->name == 0 || site->calls == 0)
                                continue;
                        bool known = site->module >= 0 && site->module < SITE_MODULES;
                        if (entry)
                                entry[count] = (struct entry){
                                        .site = site,
                                        .module = known ? file->sites.module[site->module] : "",
                                        .before_s = fmax(1e-9 * (double)site->before_ns, 0)
                                };
                        count++;
                }
        }
        return count;
}

static void name_line(struct measurement_site *site)
{
        snprintf(site->place, sizeof(site->place), "%.200s:%" PRIu64, basename(site->module),
                 site->offset);
}

static void name_sites(struct measurement *m)
{
        struct place place[SITES_NAMED];
        size_t count = 0;
        for (int32_t i = 0; i < m->nsite; i++) {
                struct measurement_site *site = &m->site[i];
                if (site->is_line)
                        name_line(site);
                else
                        place[count++] = (struct place){ .module = site->module,
                                                         .offset = site->offset,
                                                         .text = site->place,
                                                         .size = sizeof(site->place) };
        }
        place_name(place, count);
}

int measurement_make_sites(struct measurement *m, struct lb_error *err)
{
        size_t count = collect(m, NULL);
        struct entry *entry = calloc(count + 1, sizeof(*entry));
        m->site = calloc(count + 1, sizeof(*m->site));
        if (!entry || !m->site) {
                free(entry);
                return lb_error_fail(err, "out of memory");
        }
        collect(m, entry);
        qsort(entry, count, sizeof(*entry), by_place);
        merge(m, entry, count);
        free(entry);
        qsort(m->site, (size_t)m->nsite, sizeof(*m->site), by_weight);
        if (m->nsite > SITES_NAMED)
                m->nsite = SITES_NAMED;
        name_sites(m);
        return 0;
}
