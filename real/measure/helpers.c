/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "real/measure/helpers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pages.h"
#include "real/measure/others.h"
#include "real/measure/rank.h"

static const int64_t TELL_EACH_NS = 1000000000 / METER_READS_PER_S;

struct helper {
        struct helper *next, **link; /* in the list of those that run */
        long pid;
        pthread_t thread;
        clockid_t clock;
        bool idle; /* its last call polled, and found nothing */
        /* for the thread that is measured: its load until it last called MPI; what its clock was
         * when it left, -1 where it is in MPI or that was not read; all of its processor time that
         * was read */
        atomic_int_fast64_t load_ns, left_cpu_ns, cpu_ns;
        atomic_int_fast64_t in_ns; /* its time in MPI, less when it entered that if it is there */
        int64_t start_cpu_ns;
        struct meter meter;
};

static struct {
        pthread_mutex_t lock;
        pthread_key_t key; /* a thread that ends, however it does, leaves */
        bool has_key;
        struct helper *running;
        int64_t count, most; /* running */
        int64_t ended_load_ns, ended_cpu_ns;
        /* by the thread that is measured alone; and as the part to measure began */
        int64_t told_ns, told_at_ns, part_told_ns;
        atomic_bool any;
        /* that the thread that is measured waits for, which had so much in MPI as that began, and
         * as it ended */
        bool is_awaited;
        pthread_t awaited;
        int64_t awaited_from_in_ns, awaited_to_in_ns;
} helpers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local __attribute__((tls_model("initial-exec"))) struct helper *self;

/* ---- Those that help ---- */

static void publish(struct helper *helper, int64_t left_cpu_ns)
{
        atomic_store(&helper->left_cpu_ns, left_cpu_ns);
        atomic_store(&helper->load_ns, (int64_t)helper->meter.cpu_out_ns);
        atomic_store(&helper->cpu_ns, helper->meter.cpu_ns - helper->start_cpu_ns);
        const struct meter *meter = &helper->meter;
        atomic_store_explicit(&helper->in_ns,
                              meter->in_ns - (meter->place == METER_MPI ? meter->last_ns : 0),
                              memory_order_relaxed);
}

/* In MPI, until now. */
static int64_t in_of(struct helper *helper, int64_t now_ns)
{
        int64_t in_ns = atomic_load_explicit(&helper->in_ns, memory_order_relaxed);
        return in_ns < 0 ? in_ns + now_ns : in_ns;
}

static bool is_awaited(const struct helper *helper)
{
        return helpers.is_awaited && pthread_equal(helper->thread, helpers.awaited);
}

/* In a child that was forked the lock may be held by a thread which is not there. */
static void leave(void *arg)
{
        struct helper *helper = arg;
        if (helper->pid != (long)getpid())
                return;
        self = NULL;
        meter_go(&helper->meter, rank_wall_ns(), METER_OUT);
        meter_cpu(&helper->meter, helper->meter.last_ns, rank_cpu_ns());
        publish(helper, -1);
        pthread_mutex_lock(&helpers.lock);
        helpers.count--;
        helpers.ended_load_ns += atomic_load(&helper->load_ns);
        helpers.ended_cpu_ns += atomic_load(&helper->cpu_ns);
        if (is_awaited(helper))
                helpers.awaited_to_in_ns = in_of(helper, helper->meter.last_ns);
        *helper->link = helper->next;
        if (helper->next)
                helper->next->link = helper->link;
        pthread_mutex_unlock(&helpers.lock);
        pages_free(helper, sizeof(*helper));
}

__attribute__((constructor)) static void prepare(void)
{
        helpers.has_key = pthread_key_create(&helpers.key, leave) == 0;
}

static void come(struct helper *helper)
{
        pthread_mutex_lock(&helpers.lock);
        helper->next = helpers.running;
        helper->link = &helpers.running;
        if (helper->next)
                helper->next->link = &helper->next;
        helpers.running = helper;
        helpers.count++;
        if (helpers.count > helpers.most)
                helpers.most = helpers.count;
        pthread_mutex_unlock(&helpers.lock);
        atomic_store(&helpers.any, true);
}

/* Its meter begins with the thread, where that was made since the rank's did. */
static void start(struct helper *helper, const struct meter *rank)
{
        int64_t born_ns = others_born_ns();
        bool new = born_ns > rank->start_ns;
        struct meter_reading now = { .wall_ns = new ? born_ns : rank_wall_ns(),
                                     .cpu_ns = new ? 0 : rank_cpu_ns(),
                                     .delay_ns = -1 };
        meter_start_sums(&helper->meter, &now);
        helper->meter.clock_ns = rank->clock_ns;
        helper->meter.reading_ns = rank->reading_ns;
        helper->start_cpu_ns = now.cpu_ns;
        helper->pid = (long)getpid();
        publish(helper, now.cpu_ns);
}

static struct helper *make(const struct meter *rank)
{
        struct helper *helper = helpers.has_key ? pages_get(sizeof(*helper)) : NULL;
        if (!helper || pthread_getcpuclockid(pthread_self(), &helper->clock) != 0 ||
            pthread_setspecific(helpers.key, helper) != 0) {
                pages_free(helper, sizeof(*helper));
                return NULL;
        }
        helper->idle = false;
        helper->thread = pthread_self();
        start(helper, rank);
        come(helper);
        return helper;
}

void helpers_enter(const int *found)
{
        struct rank_file *file = rank_self.file;
        if (!self && file)
                self = make(&file->meter);
        if (!self)
                return;
        struct meter *meter = &self->meter;
        int64_t now_ns = rank_wall_ns();
        bool waits = self->idle && found && now_ns - meter->last_ns <= METER_POLL_NS;
        if (waits ? meter_stay(meter, now_ns) : meter_enter(meter, now_ns))
                meter_cpu(meter, now_ns, rank_cpu_ns());
        publish(self, -1);
}

void helpers_leave(const int *found)
{
        if (!self)
                return;
        int64_t now_ns = rank_wall_ns();
        bool reads = meter_leave(&self->meter, now_ns);
        if (reads)
                meter_cpu(&self->meter, now_ns, rank_cpu_ns());
        publish(self, reads ? self->meter.cpu_ns : -1);
        self->idle = found && *found == 0;
}

/* ---- What they did ---- */

/* Of one that computes now, what it has until now. */
static int64_t load_of(struct helper *helper)
{
        int64_t left_ns = atomic_load(&helper->left_cpu_ns),
                load_ns = atomic_load(&helper->load_ns);
        int64_t since_ns = left_ns < 0 ? 0 : clock_of_ns(helper->clock) - left_ns;
        return load_ns + (since_ns > 0 ? since_ns : 0);
}

static int64_t load_of_all(void)
{
        pthread_mutex_lock(&helpers.lock);
        int64_t sum_ns = helpers.ended_load_ns;
        for (struct helper *helper = helpers.running; helper; helper = helper->next)
                sum_ns += load_of(helper);
        pthread_mutex_unlock(&helpers.lock);
        return sum_ns;
}

int64_t helpers_in_cpu_ns(void)
{
        pthread_mutex_lock(&helpers.lock);
        int64_t sum_ns = helpers.ended_cpu_ns - helpers.ended_load_ns;
        for (struct helper *helper = helpers.running; helper; helper = helper->next)
                sum_ns += clock_of_ns(helper->clock) - helper->start_cpu_ns - load_of(helper);
        pthread_mutex_unlock(&helpers.lock);
        return sum_ns;
}

/* Nobody was told before the part began. */
static int64_t told_from_ns(const struct meter *meter)
{
        return helpers.told_at_ns > meter->start_ns ? helpers.told_at_ns : meter->start_ns;
}

static void tell(struct meter *meter, int64_t at_ns, int64_t load_ns)
{
        meter_help(meter, told_from_ns(meter), at_ns, (double)load_ns);
        helpers.told_at_ns = at_ns;
        helpers.told_ns += load_ns;
}

void helpers_tell(struct meter *meter)
{
        int64_t now_ns = meter->last_ns;
        if (!atomic_load_explicit(&helpers.any, memory_order_relaxed) ||
            now_ns - helpers.told_at_ns < TELL_EACH_NS)
                return;
        int64_t load_ns = load_of_all() - helpers.told_ns;
        if (load_ns > 0)
                tell(meter, now_ns, load_ns);
        else /* one was looked at while it called MPI */
                helpers.told_at_ns = now_ns;
}

void helpers_tell_until(struct meter *meter, int64_t at_ns)
{
        if (!atomic_load_explicit(&helpers.any, memory_order_relaxed))
                return;
        int64_t from_ns = told_from_ns(meter), now_ns = rank_wall_ns();
        int64_t load_ns = load_of_all() - helpers.told_ns;
        if (at_ns <= from_ns || load_ns <= 0)
                return;
        if (at_ns < now_ns)
                load_ns = (int64_t)((double)load_ns * (double)(at_ns - from_ns) /
                                    (double)(now_ns - from_ns));
        tell(meter, at_ns, load_ns);
}

void helpers_part(void)
{
        helpers.part_told_ns = helpers.told_ns;
}

/* ---- Waiting for one ---- */

/* Of the one that is waited for, so far; one that has none, or has ended, is in no list. */
static int64_t awaited_in_ns(int64_t now_ns)
{
        for (struct helper *helper = helpers.running; helper; helper = helper->next)
                if (is_awaited(helper))
                        return in_of(helper, now_ns);
        return helpers.awaited_to_in_ns;
}

void helpers_await(pthread_t thread, int64_t now_ns)
{
        pthread_mutex_lock(&helpers.lock);
        helpers.is_awaited = true;
        helpers.awaited = thread;
        helpers.awaited_to_in_ns = 0;
        helpers.awaited_from_in_ns = awaited_in_ns(now_ns);
        pthread_mutex_unlock(&helpers.lock);
}

void helpers_awaited(struct meter *meter, int64_t now_ns)
{
        pthread_mutex_lock(&helpers.lock);
        int64_t in_ns = helpers.is_awaited ? awaited_in_ns(now_ns) - helpers.awaited_from_in_ns : 0;
        helpers.is_awaited = false;
        pthread_mutex_unlock(&helpers.lock);
        if (!meter)
                return;
        if (in_ns > now_ns - meter->last_ns) /* it is late: the other has gone on behind now_ns */
                in_ns = now_ns - meter->last_ns;
        if (in_ns <= 0)
                return;
        meter_go(meter, now_ns - in_ns, METER_MPI);
        meter_go(meter, now_ns, METER_OUT);
}

/* ---- In the file ---- */

void helpers_sum(struct rank_file *file)
{
        pthread_mutex_lock(&helpers.lock);
        file->helpers = helpers.most;
        file->helper_cpu_ns = (double)helpers.ended_cpu_ns;
        file->helper_load_ns = (double)(helpers.told_ns - helpers.part_told_ns);
        for (struct helper *helper = helpers.running; helper; helper = helper->next)
                file->helper_cpu_ns += (double)atomic_load(&helper->cpu_ns);
        pthread_mutex_unlock(&helpers.lock);
}
