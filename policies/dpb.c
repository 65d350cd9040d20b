/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/dpb_impl.h"

#include "policies/registry.h"

const char *const dpb_names[] = {
#define NAME(type, name) name,
        DPB_TYPES(NAME) NULL
};

#define ENTRY(type, name) &dpb_##type,
POLICY_REGISTRY(dpb, DPB_TYPES, ENTRY)

int dpb_check(int32_t nprocess, const struct dpb_view *view, const int32_t *cpus,
              struct lb_error *err)
{
        int64_t more = 0;
        for (int32_t i = 0; i < nprocess; i++) {
                if (cpus[i] < 1)
                        return lb_error_fail(err,
                                             "process %d is given %d processors, allowed is at "
                                             "least 1",
                                             i, cpus[i]);
                more += (int64_t)cpus[i] - view->cpus[i];
        }
        return more == 0 ? 0
                         : lb_error_fail(err, "%lld processors more are given than there are",
                                         (long long)more);
}

static int check_counts(int32_t ncpu, int32_t nprocess, struct lb_error *err)
{
        if (nprocess >= 1 && nprocess <= ncpu)
                return 0;
        return lb_error_set(err,
                            "found %d processes for %d processors, allowed is at least 1 process "
                            "and a processor for each",
                            nprocess, ncpu);
}

int dpb_equal(int32_t ncpu, int32_t nprocess, int32_t *cpus, struct lb_error *err)
{
        if (check_counts(ncpu, nprocess, err) < 0)
                return -1;
        for (int32_t p = 0; p < nprocess; p++)
                cpus[p] = ncpu / nprocess + (p < ncpu % nprocess);
        return 0;
}

/* Who needs one more most. */
static int32_t neediest(int32_t nprocess, const double *work, const int32_t *cpus)
{
        int32_t best = 0;
        for (int32_t p = 1; p < nprocess; p++)
                if (work[p] / cpus[p] > work[best] / cpus[best])
                        best = p;
        return best;
}

/* Whom one less hurts least; -1: none can spare any. */
static int32_t richest(int32_t nprocess, const double *work, const int32_t *cpus)
{
        int32_t best = -1;
        for (int32_t p = 0; p < nprocess; p++)
                if (cpus[p] > 1 &&
                    (best < 0 || work[p] / (cpus[p] - 1) < work[best] / (cpus[best] - 1)))
                        best = p;
        return best;
}

int dpb_by_work(int32_t ncpu, int32_t nprocess, const double *work, int32_t *cpus,
                struct lb_error *err)
{
        double sum = 0;
        if (check_counts(ncpu, nprocess, err) < 0)
                return -1;
        for (int32_t p = 0; p < nprocess; p++)
                sum += work[p];
        if (!(sum > 0))
                return dpb_equal(ncpu, nprocess, cpus, err);
        int32_t left = ncpu;
        for (int32_t p = 0; p < nprocess; p++) {
                int32_t whole = (int32_t)(work[p] / sum * ncpu);
                cpus[p] = whole > 1 ? whole : 1;
                left -= cpus[p];
        }
        for (; left > 0; left--)
                cpus[neediest(nprocess, work, cpus)]++;
        for (; left < 0; left++)
                cpus[richest(nprocess, work, cpus)]--;
        return 0;
}
