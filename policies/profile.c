/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/profile.h"

#include <string.h>

#include "policies/dpd.h"

struct profile {
        int32_t wanted, done; /* periods */
        bool discard, skip, open;
        int64_t begin_ns, mpi_ns;       /* of the period under way, if open */
        int64_t total_ns, total_mpi_ns; /* of those done */
        char detector[];                /* struct dpd */
};

static struct dpd *detector(struct profile *profile)
{
        return (struct dpd *)(void *)profile->detector;
}

size_t profile_size(const struct profile_setup *setup)
{
        return sizeof(struct profile) + dpd_size(setup->window);
}

void profile_init(struct profile *profile, const struct profile_setup *setup)
{
        *profile = (struct profile){ .wanted = setup->periods, .discard = setup->discard };
        dpd_init(detector(profile), setup->window, setup->confirm);
        profile_reset(profile);
}

static void begin(struct profile *profile, int64_t now_ns)
{
        profile->open = true;
        profile->begin_ns = now_ns;
        profile->mpi_ns = 0;
}

static void end(struct profile *profile, int64_t now_ns)
{
        bool counts = profile->open && !profile->skip && profile->done < profile->wanted;
        profile->skip = profile->skip && !profile->open;
        if (!counts)
                return;
        profile->done++;
        profile->total_ns += now_ns - profile->begin_ns;
        profile->total_mpi_ns += profile->mpi_ns;
}

bool profile_call(struct profile *profile, uint32_t value, int64_t begin_ns, int64_t end_ns)
{
        switch (dpd_feed(detector(profile), value)) {
        case DPD_ITERATION:
                end(profile, begin_ns);
                begin(profile, begin_ns);
                break;
        case DPD_STARTED:
                begin(profile, begin_ns);
                break;
        case DPD_LOST:
                profile->open = false;
                break;
        case DPD_NONE:
                break;
        }
        profile->mpi_ns += end_ns - begin_ns;
        return profile_ready(profile);
}

bool profile_ready(const struct profile *profile)
{
        return profile->done >= profile->wanted;
}

void profile_means(const struct profile *profile, double *compute_s, double *mpi_s)
{
        *compute_s = *mpi_s = 0;
        if (!profile_ready(profile))
                return;
        double unit = 1e-9 / profile->done;
        *mpi_s = (double)profile->total_mpi_ns * unit;
        *compute_s = (double)(profile->total_ns - profile->total_mpi_ns) * unit;
}

void profile_reset(struct profile *profile)
{
        profile->done = 0;
        profile->total_ns = profile->total_mpi_ns = 0;
        profile->skip = profile->discard;
}

int32_t profile_period(const struct profile *profile)
{
        return dpd_period((const struct dpd *)(const void *)profile->detector);
}
