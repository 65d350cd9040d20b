/* SPDX-License-Identifier: BSD-3-Clause */
#include "policies/place_tail.h"

#include <math.h>

/* Tasks that the means reach back to: of what tasks cost now, and of how slow a worker is, which
 * lasts. Half or four times as many make no difference (docs/tight.md). */
enum { COST_OVER = 16, SLOWNESS_OVER = 256, HALVINGS = 12, DOUBLINGS = 64 };
enum { TRIPS_KNOWN = 16, LONGEST_OVER = 1024, UNDER_WAY_MOST = 1000 };
static const double WAIT_TASKS = 2;    /* a trip of less may be a wait for a core */
static const double NEAR_TASKS = 0.05; /* a trip of less is little beside a task */
static const double UNEQUAL = 1.3;     /* beyond what a few jittered tasks scatter */
enum { SCATTER_OVER = 8 };             /* fewer tasks do not say how much they scatter */
enum { SCARCE = 4 };                   /* one of so many workers may be an exception */
static const double SURE = 2;          /* standard errors of a mean */

size_t tail_size(int32_t nworker)
{
        return sizeof(struct tail) + (size_t)nworker * sizeof(struct tail_worker);
}

void tail_init(struct tail *tail, int32_t nworker, bool whole)
{
        *tail = (struct tail){ .nworker = nworker, .whole = whole };
        for (int32_t w = 0; w < nworker; w++)
                tail->worker[w] = (struct tail_worker){ .slowness = 1 };
}

/* The mean of the last `over`, and of all there are before there are so many. */
static void take_in(double *mean, int32_t *count, double value, int32_t over)
{
        *count += *count < over;
        *mean += (value - *mean) / *count;
}

/* Of the same values; before take_in() of this one. */
static void take_in_variance(double *variance, double mean, int32_t count, double value,
                             int32_t over)
{
        double share = 1.0 / (count < over ? count + 1 : over), off = value - mean;
        *variance = (1 - share) * (*variance + share * off * off);
}

static void learn_slowness(struct tail_worker *w, double slowness)
{
        take_in_variance(&w->variance, w->slowness, w->count, slowness, SLOWNESS_OVER);
        take_in(&w->slowness, &w->count, slowness, SLOWNESS_OVER);
}

/* Of all workers together: each one's scatter counts by its tasks. */
static bool scatter_widely(const struct tail *tail)
{
        double sum = 0;
        int32_t count = 0;
        for (int32_t w = 0; w < tail->nworker; w++) {
                const struct tail_worker *worker = &tail->worker[w];
                sum += worker->count * worker->variance / (worker->slowness * worker->slowness);
                count += worker->count;
        }
        return count >= SCATTER_OVER && tail->mean_s >= tail->scatter_s &&
               sum > tail->scatter_most * tail->scatter_most * count;
}

static void begin(struct tail_worker *w, int64_t now_ns)
{
        w->begun_ns[w->nbegun++ % TAIL_BEGUN] = now_ns;
}

void tail_assigned(struct tail *tail, const struct place_view *view, int32_t worker, int32_t cores,
                   int64_t count)
{
        int64_t idle = cores - view->tasks[worker];
        if (tail->trips && worker > 0 && count > 0 && view->tasks[worker] == 0 &&
            view->usable_cores[worker] > 0)
                tail->worker[worker].sent_ns = view->time_ns;
        for (int64_t i = tail->whole ? (count < idle ? count : idle) : 0; i > 0; i--)
                begin(&tail->worker[worker], view->time_ns);
}

static double task_s(const struct tail *tail, int32_t worker)
{
        return tail->cost_s * tail->worker[worker].slowness;
}

/* Of the tasks that a helper was sent when it had none, the first has ended. */
static void learn_trip(struct tail *tail, const struct place_view *view)
{
        struct tail_worker *w = &tail->worker[view->worker];
        double took_s = fmax(0, (double)(view->time_ns - w->sent_ns - view->finished_ns) * 1e-9);
        if (w->sent_ns == 0)
                return;
        w->sent_ns = 0;
        tail->trip_s = tail->trip_count > 0 ? fmin(tail->trip_s, took_s) : took_s;
        tail->trip_count += tail->trip_count < TRIPS_KNOWN;
}

int32_t tail_under_way(const struct tail *tail)
{
        if (tail->trip_count < TRIPS_KNOWN || tail->trip_s < WAIT_TASKS * tail->longest_s)
                return 0;
        return (int32_t)fmin(UNDER_WAY_MOST, tail->trip_s / tail->longest_s);
}

void tail_finished(struct tail *tail, const struct place_view *view, int32_t cores)
{
        struct tail_worker *w = &tail->worker[view->worker];
        double took_s = (double)view->finished_ns * 1e-9;
        if (view->costs && view->costs->finished > 0)
                took_s /= view->costs->finished;
        if (tail->whole && view->tasks[view->worker] >= cores)
                begin(w, view->time_ns); /* one that was sent ahead */
        if (view->finished_ns <= 0)
                return;
        learn_trip(tail, view);
        if (tail->count > 0)
                learn_slowness(w, took_s / tail->cost_s);
        if (tail->scatter_most > 0) {
                take_in(&tail->mean_s, &tail->mean_count, took_s, SLOWNESS_OVER);
                tail->scatters = scatter_widely(tail);
        }
        tail->longest_s = fmax(took_s, tail->longest_s + (took_s - tail->longest_s) / LONGEST_OVER);
        take_in(&tail->cost_s, &tail->count, took_s / w->slowness, COST_OVER);
}

bool tail_near(const struct tail *tail)
{
        return tail->trip_count > 0 && tail->trip_s < NEAR_TASKS * tail->cost_s;
}

/* ---- What tasks cost, in tasks of mean cost ---- */

static double held_work(const struct place_view *view)
{
        return view->costs ? view->costs->held : (double)view->held_tasks;
}

static double mean_held(const struct place_view *view)
{
        return view->costs && view->held_tasks > 0 ? view->costs->held / (double)view->held_tasks
                                                   : 1;
}

static double assigned_work(const struct place_view *view, int32_t w)
{
        return view->costs ? view->costs->assigned[w] : view->tasks[w];
}

/* Of a task that a worker has. */
static double mean_assigned(const struct place_view *view, int32_t w)
{
        return view->costs && view->tasks[w] > 0 ? view->costs->assigned[w] / view->tasks[w] : 1;
}

/* Tasks of all cores of a worker, in the time of one where slowness is 1. */
static double rate(const struct tail *tail, int32_t w, int32_t cores)
{
        return cores / tail->worker[w].slowness;
}

/* How far from the truth a worker's slowness may be. */
static double doubt(const struct tail_worker *w)
{
        return w->count < SCATTER_OVER ? INFINITY : SURE * sqrt(w->variance / (w->count - 1));
}

static double at_most(const struct tail_worker *w)
{
        return w->slowness + doubt(w);
}

/* What tasks last on a worker that is no exception, for sure: of four that are known one may be
 * fast, of eight two, and by these all others would be slow. Of fewer, the least. INFINITY where
 * none is known. */
static double usual(const struct tail *tail)
{
        int32_t known = 0;
        double best = INFINITY;
        for (int32_t w = 0; w < tail->nworker; w++)
                known += tail->worker[w].count >= SCATTER_OVER;
        for (int32_t w = 0; w < tail->nworker; w++) {
                double one = at_most(&tail->worker[w]);
                int32_t count = 0; /* no slower than this one, itself too */
                for (int32_t v = 0; one < best && v < tail->nworker; v++)
                        count += at_most(&tail->worker[v]) <= one;
                if (count > known / SCARCE)
                        best = one;
        }
        return best;
}

bool tail_slow(const struct tail *tail, int32_t worker)
{
        const struct tail_worker *slow = &tail->worker[worker];
        double least = INFINITY, surely = slow->slowness - doubt(slow);
        for (int32_t w = 0; w < tail->nworker; w++)
                least = fmin(least, at_most(&tail->worker[w]));
        return surely > UNEQUAL * least && surely > UNEQUAL * usual(tail); /* the first: sooner */
}

/* When a worker ends one task more, in the time of one where slowness is 1. */
static double next_end(const struct tail *tail, const struct place_view *view, int32_t w,
                       int32_t cores)
{
        return fmax(tail->worker[w].slowness, (view->tasks[w] + 1) / rate(tail, w, cores));
}

int32_t tail_sooner(const struct tail *tail, const struct place_view *view, const int32_t *cores,
                    int32_t to)
{
        int32_t best = to;
        if (to == 0 || cores[to] <= 0 || !tail_slow(tail, to))
                return to;
        double least = next_end(tail, view, to, cores[to]);
        for (int32_t w = 0; w < tail->nworker; w++) {
                double end = cores[w] > 0 ? next_end(tail, view, w, cores[w]) : INFINITY;
                if (end < least) {
                        least = end;
                        best = w;
                }
        }
        return best;
}

/* Workers on which a task lasts about alike end their last ones together anyway. */
static bool unequal(const struct tail *tail)
{
        double least = INFINITY, most = 0;
        for (int32_t w = 0; w < tail->nworker; w++) {
                if (tail->worker[w].count == 0)
                        continue;
                least = fmin(least, tail->worker[w].slowness);
                most = fmax(most, tail->worker[w].slowness);
        }
        return most > UNEQUAL * least;
}

/*
 * When all held tasks can have ended. A worker that could not end a single one by then takes no
 * part, which moves the end of the others; so it is done until none leaves.
 */
static double end_s(const struct tail *tail, const struct place_view *view, const int32_t *cores)
{
        double end = INFINITY;
        for (int32_t round = 0; round < tail->nworker; round++) {
                double work = held_work(view), speed = 0, before = end;
                for (int32_t w = 0; w < tail->nworker; w++) {
                        double r = rate(tail, w, cores[w]);
                        if (cores[w] <= 0 ||
                            (assigned_work(view, w) + mean_held(view)) / r > before)
                                continue;
                        work += assigned_work(view, w);
                        speed += r;
                }
                if (speed <= 0)
                        return before;
                end = work / speed;
                if (end >= before)
                        return before;
        }
        return end;
}

/* ---- By whole tasks ---- */

/* Further tasks that a core ends by `end_s` from now which is free after `left_s`. */
static double ends(double end_s, double left_s, double task_s)
{
        return fmax(0, floor((end_s - left_s) / task_s));
}

/* The same of those of a worker's cores that run a task, by when the last ones began; where that is
 * not known, now. */
static double running_end(const struct tail *tail, const struct place_view *view, int32_t worker,
                          int32_t running, double end_s, double one_s)
{
        const struct tail_worker *w = &tail->worker[worker];
        double last_s = task_s(tail, worker) * mean_assigned(view, worker), count = 0;
        uint32_t seen = running < TAIL_BEGUN ? (uint32_t)running : TAIL_BEGUN;
        seen = seen < w->nbegun ? seen : w->nbegun;
        for (uint32_t i = 1; i <= seen; i++) {
                int64_t ago_ns = view->time_ns - w->begun_ns[(w->nbegun - i) % TAIL_BEGUN];
                count += ends(end_s, fmax(0, last_s - (double)ago_ns * 1e-9), one_s);
        }
        return seen > 0 ? count * running / seen : running * ends(end_s, last_s, one_s);
}

/* How many held tasks a worker's cores can have ended by then: those sent ahead come first. */
static double held_by(const struct tail *tail, const struct place_view *view, int32_t worker,
                      int32_t cores, double end_s, double cost)
{
        double one_s = task_s(tail, worker) * cost;
        int32_t tasks = view->tasks[worker], running = tasks < cores ? tasks : cores;
        if (cores <= 0)
                return 0;
        double idle = (cores - running) * ends(end_s, 0, one_s);
        double all = idle + running_end(tail, view, worker, running, end_s, one_s);
        return fmax(0, all - (tasks - running) * mean_assigned(view, worker) / cost);
}

static bool all_by(const struct tail *tail, const struct place_view *view, const int32_t *cores,
                   double end_s)
{
        double sum = 0, next = 0;
        for (int32_t w = 0; w < tail->nworker; w++) {
                sum += held_by(tail, view, w, cores[w], end_s, mean_held(view));
                if (view->costs)
                        next += held_by(tail, view, w, cores[w], end_s, view->costs->next);
        }
        return sum >= (double)view->held_tasks && (!view->costs || next >= 1);
}

/* The least such time, from above; `about_s` where tasks could be divided. */
static double whole_end_s(const struct tail *tail, const struct place_view *view,
                          const int32_t *cores, double about_s)
{
        double low = 0, high = about_s;
        for (int i = 0; i < DOUBLINGS && !all_by(tail, view, cores, high); i++, high *= 1.5)
                low = high;
        for (int i = 0; i < HALVINGS; i++) {
                double middle = (low + high) / 2;
                if (all_by(tail, view, cores, middle))
                        high = middle;
                else
                        low = middle;
        }
        return high;
}

static bool any_has_tasks(const struct place_view *view)
{
        for (int32_t w = 0; w < view->nworker; w++)
                if (view->tasks[w] > 0)
                        return true;
        return false;
}

int64_t tail_most(const struct tail *tail, const struct place_view *view, const int32_t *cores,
                  int64_t wanted)
{
        int32_t w = view->worker;
        if (!unequal(tail) || !any_has_tasks(view))
                return view->held_tasks;
        double end = end_s(tail, view, cores);
        double next = view->costs ? view->costs->next : 1;
        double room = (end * rate(tail, w, cores[w]) - assigned_work(view, w)) / next;
        bool near = room < (double)(wanted + 2 * cores[w]) && isfinite(end);
        if (tail->whole && near) {
                end = whole_end_s(tail, view, cores, end * tail->cost_s);
                if (w > 0 && !tail->scatters && tail_slow(tail, w))
                        end = fmax(0, end - tail->margin_tasks * task_s(tail, w));
                room = held_by(tail, view, w, cores[w], end, next);
                if (w == 0) /* nothing is late here: no need to send ahead */
                        room = fmin(room, cores[w] - view->tasks[w]);
        }
        return room > 0 ? (int64_t)room : 0;
}
