/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/pack_impl.h"

#include "policies/registry.h"

const char *const pack_names[] = {
#define NAME(type, name) name,
        PACK_TYPES(NAME) NULL
};

#define ENTRY(type, name) &pack_##type,
POLICY_REGISTRY(pack, PACK_TYPES, ENTRY)

int pack_check(int32_t nprocess, int32_t used, const int32_t *cpu, struct lb_error *err)
{
        int32_t home = 0;
        for (int32_t i = 0; i < nprocess; i++) {
                if (cpu[i] < 0 || cpu[i] >= nprocess || cpu[cpu[i]] != cpu[i])
                        return lb_error_fail(err,
                                             "process %d is put on CPU %d, allowed is one whose "
                                             "own process stays there, of %d",
                                             i, cpu[i], nprocess);
                home += cpu[i] == i;
        }
        return home == used
                   ? 0
                   : lb_error_fail(err, "%d CPUs are said to be used, there are %d", used, home);
}

static int32_t at_most(int32_t value, int32_t limit)
{
        return value < limit ? value : limit;
}

double pack_shared_tolerance(const double *param)
{
        return param[PACK_TOLERANCE];
}

void pack_shared_align(double *param, int32_t domain_processes)
{
        if (param[PACK_NUMA] == 0)
                param[PACK_NUMA] = domain_processes;
}

int32_t pack_set_end(int32_t nprocess, int32_t limit, int32_t numa, int32_t first)
{
        if (nprocess <= limit)
                return nprocess;
        if (numa == 0 || numa > nprocess)
                numa = nprocess;
        if (numa <= limit)
                return at_most(first + limit / numa * numa, nprocess);
        int32_t begin = first / numa * numa;
        int32_t count = at_most(begin + numa, nprocess) - begin;
        int32_t parts = (count + limit - 1) / limit, end = first;
        for (int32_t p = 1; p <= parts && end <= first; p++)
                end = begin + (int32_t)((int64_t)count * p / parts);
        return end;
}

void pack_name_cpus(int32_t first, int32_t count, int32_t *cpu, int32_t *scratch)
{
        for (int32_t i = 0; i < count; i++)
                scratch[i] = -1;
        for (int32_t i = 0; i < count; i++) {
                int32_t number = cpu[i];
                if (scratch[number] < 0)
                        scratch[number] = first + i;
                cpu[i] = scratch[number];
        }
}
