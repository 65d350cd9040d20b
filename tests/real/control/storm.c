/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/control/storm.h"

#include <stdlib.h>

#include "base/random.h"

static const int64_t ms_ns = 1000000;

struct weather {
        int64_t looked_ns, until_ns; /* stands still until then */
        int64_t poll_ns;             /* of a poll that is late; 0: none is */
};

struct storm {
        struct lb_random random;
        bool calm;
        int32_t nworker;
        double stops, late_mails, late_polls, late_wakes; /* how often, of one */
        struct weather *weather;                          /* [nworker] */
        int64_t *last_ns;                                 /* [nworker][nworker] arrivals */
};

static bool chance(struct storm *storm, double share)
{
        return lb_random_unit(&storm->random) < share;
}

/* Mostly short, now and then long. */
static int64_t delay_ns(struct storm *storm, int64_t most_ms)
{
        double unit = lb_random_unit(&storm->random);
        return (int64_t)(unit * unit * unit * (double)(most_ms * ms_ns));
}

struct storm *storm_create(uint64_t seed, int32_t nworker)
{
        struct storm *storm = calloc(1, sizeof(*storm));
        lb_random_init(&storm->random, seed, LB_RANDOM_TEST, 0);
        storm->nworker = nworker;
        storm->stops = 0.02 * lb_random_unit(&storm->random);
        storm->late_mails = lb_random_unit(&storm->random);
        storm->late_polls = lb_random_unit(&storm->random);
        storm->late_wakes = lb_random_unit(&storm->random);
        storm->weather = calloc((size_t)nworker, sizeof(*storm->weather));
        storm->last_ns = calloc((size_t)(nworker * nworker), sizeof(*storm->last_ns));
        return storm;
}

void storm_destroy(struct storm *storm)
{
        if (!storm)
                return;
        free(storm->weather);
        free(storm->last_ns);
        free(storm);
}

void storm_calm(struct storm *storm)
{
        storm->calm = true;
}

int64_t storm_arrival_ns(struct storm *storm, int32_t sender, int32_t destination, int64_t due_ns)
{
        if (!storm)
                return due_ns;
        int64_t *last_ns = &storm->last_ns[sender * storm->nworker + destination];
        if (!storm->calm && chance(storm, storm->late_mails))
                due_ns += delay_ns(storm, 300);
        *last_ns = due_ns > *last_ns ? due_ns : *last_ns;
        return *last_ns;
}

bool storm_acts(struct storm *storm, int32_t worker, int64_t now_ns)
{
        if (!storm || storm->calm)
                return true;
        struct weather *w = &storm->weather[worker];
        if (w->looked_ns != now_ns && w->until_ns <= now_ns && chance(storm, storm->stops))
                w->until_ns = now_ns + delay_ns(storm, 500);
        w->looked_ns = now_ns;
        return w->until_ns <= now_ns;
}

bool storm_polls(struct storm *storm, int32_t worker, int64_t now_ns)
{
        if (!storm || storm->calm)
                return true;
        struct weather *w = &storm->weather[worker];
        if (!storm_acts(storm, worker, now_ns))
                return false;
        if (w->poll_ns == 0)
                w->poll_ns = now_ns + (chance(storm, storm->late_polls) ? delay_ns(storm, 30) : 0);
        if (w->poll_ns > now_ns)
                return false;
        w->poll_ns = 0;
        return true;
}

bool storm_wakes(struct storm *storm)
{
        return !storm || storm->calm || !chance(storm, storm->late_wakes);
}
