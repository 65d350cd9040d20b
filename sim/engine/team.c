/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "sim/engine/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Looks before sleep: some 50 us, several times what a member takes for its part. */
enum { LOOKS = 2000 };

struct member {
        struct team *team;
        pthread_t thread;
        int32_t number;
};

struct team {
        int32_t count;
        struct member *member; /* [count] */
        void (*work)(void *user, int32_t member);
        void *user;
        _Alignas(64) _Atomic uint32_t round; /* grows with each thing to do */
        _Alignas(64) _Atomic int32_t left;   /* members that have not done it */
        _Alignas(64) _Atomic int32_t asleep;
        bool over;
        pthread_mutex_t lock;
        pthread_cond_t changed;
};

static inline void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
}

/* What is waited for has come about: who sleeps meanwhile is woken. */
static void wake(struct team *team)
{
        if (atomic_load(&team->asleep) == 0)
                return;
        pthread_mutex_lock(&team->lock);
        pthread_cond_broadcast(&team->changed);
        pthread_mutex_unlock(&team->lock);
}

static bool is_next(const struct team *team, uint32_t round)
{
        return atomic_load(&team->round) != round;
}

static bool is_done(const struct team *team, uint32_t unused)
{
        (void)unused;
        return atomic_load(&team->left) == 0;
}

static void wait_until(struct team *team, bool (*comes)(const struct team *, uint32_t),
                       uint32_t round)
{
        for (int look = 0; look < LOOKS; look++) {
                if (comes(team, round))
                        return;
                pause_a_moment();
        }
        pthread_mutex_lock(&team->lock);
        atomic_fetch_add(&team->asleep, 1);
        while (!comes(team, round))
                pthread_cond_wait(&team->changed, &team->lock);
        atomic_fetch_sub(&team->asleep, 1);
        pthread_mutex_unlock(&team->lock);
}

static void *take_part(void *argument)
{
        struct member *member = argument;
        struct team *team = member->team;
        for (uint32_t round = 0;; round++) {
                wait_until(team, is_next, round);
                if (team->over)
                        return NULL;
                team->work(team->user, member->number);
                if (atomic_fetch_sub(&team->left, 1) == 1)
                        wake(team);
        }
}

static void next_round(struct team *team)
{
        atomic_fetch_add(&team->round, 1);
        wake(team);
}

void team_do(struct team *team, void (*work)(void *user, int32_t member), void *user)
{
        team->work = work;
        team->user = user;
        atomic_store(&team->left, team->count - 1);
        next_round(team);
        work(user, 0);
        wait_until(team, is_done, 0);
}

/* Returns 0 or why a thread could not be started; team->count is how many there are. */
static int start(struct team *team, int32_t count)
{
        sigset_t all, before;
        int why = 0;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        for (team->count = 1; why == 0 && team->count < count;) {
                struct member *member = &team->member[team->count];
                *member = (struct member){ .team = team, .number = team->count };
                why = pthread_create(&member->thread, NULL, take_part, member);
                team->count += why == 0;
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return why;
}

struct team *team_create(int32_t count, struct lb_error *err)
{
        struct team *team;
        if (posix_memalign((void **)&team, 64, sizeof(*team)) != 0) {
                lb_error_fail(err, "out of memory for %d threads", count);
                return NULL;
        }
        memset(team, 0, sizeof(*team));
        pthread_mutex_init(&team->lock, NULL);
        pthread_cond_init(&team->changed, NULL);
        team->member = calloc((size_t)count, sizeof(*team->member));
        int why = team->member ? start(team, count) : 0;
        if (team->member && why == 0)
                return team;
        lb_error_fail(err, "cannot start %d threads: %s", count,
                      why ? strerror(why) : "out of memory");
        team_destroy(team);
        return NULL;
}

void team_destroy(struct team *team)
{
        if (!team)
                return;
        team->over = true;
        next_round(team);
        for (int32_t i = 1; i < team->count; i++)
                pthread_join(team->member[i].thread, NULL);
        free(team->member);
        pthread_cond_destroy(&team->changed);
        pthread_mutex_destroy(&team->lock);
        free(team);
}
