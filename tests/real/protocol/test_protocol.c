/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One protocol, two hosts: what lbsim's machine does at a node, the controls of a live job do when
 * the same happens to them (tasks that arrive and end, polls), step by step, core by core.
 *
 *      random workload --> lbsim --> events, choices --> live controls
 *                            |                             |
 *                            +------ after each event: the same owners, users, offers, targets
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "models/platform.h"
#include "sim/engine/sim.h"
#include "sim/systems/offload/machine.h"
#include "tests/real/protocol/live.h"
#include "tests/real/protocol/policies.h"

enum { STEP_MAX = 256, NSCRIPT = 2000, NWORKER = 6 };

struct step {
        enum sim_moment moment;
        int32_t node, at; /* a worker or core of the node */
        int32_t nchoice;
        struct live_choice choice[LIVE_CHOICE_MAX];
        struct live_view view;
};

struct pair {
        uint64_t number;
        struct live_spec spec;
        struct live *live[LIVE_NODE_MAX];
        int32_t per_node, first[LIVE_EDGE_MAX + 1], edge_node[LIVE_EDGE_MAX];
        struct lb_random random;
        struct step step[STEP_MAX]; /* of this event */
        int32_t nstep;
        int64_t nevent, nstate[CORE_MAIN + 1], ntransfer, nmail, ntalk;
        int32_t ahead;     /* cores that are borrowed ahead */
        bool left, parted; /* both go their own way from here on; by chance */
        char history[8192];
};

/* ---- Telling the live node ---- */

static void look(const struct machine *m, int32_t node, struct live_view *view)
{
        const struct node *n = &m->node[node];
        *view = (struct live_view){ .now_ns = m->now_ns };
        for (int32_t i = 0; i < n->nworker; i++) {
                int32_t w = n->first_worker + i;
                const struct apprank *a = &m->apprank[m->worker[w].apprank];
                view->busy_ns[i] = worker_busy_ns(m, w);
                view->held[i] = a->view.held_tasks;
                view->ready[i] = m->worker[w].ready;
                view->tasks[i] = m->worker[w].assigned;
                view->task_us[i] = m->task_us[w];
                view->main_waits[i] = m->worker[w].main_waits;
        }
}

/* A worker of the machine by its place on its node; -1 stays -1. */
static int32_t local_of(const struct machine *m, int32_t worker)
{
        return worker < 0 ? worker : worker - m->node[m->worker[worker].node].first_worker;
}

static void make_wish(struct pair *pair, const struct machine *m, int32_t node)
{
        struct live_wish wish[LIVE_CORE_MAX];
        for (int32_t c = 0; c < m->ncore; c++) {
                const struct core *core = &m->core[node * m->stride + c];
                bool home = core->state == CORE_IDLE || core->state == CORE_GIVING;
                wish[c] = (struct live_wish){
                        .owner = local_of(m, core->owner),
                        .user = local_of(m, home ? core->owner : core->user),
                        .running = core->state == CORE_TASK || core->state == CORE_MAIN,
                        .kept_free = core->state == CORE_GIVING,
                };
        }
        live_wish(pair->live[node], wish);
}

static void differ(struct pair *pair, const struct machine *m, int32_t node, const char *what,
                   int32_t at);

static void act(struct pair *pair, const struct machine *m, const struct step *step)
{
        struct live *live = pair->live[step->node];
        live_choose(live, step->choice, step->nchoice);
        switch (step->moment) {
        case SIM_MOMENT_POLL:
                live_poll(live, &step->view);
                break;
        case SIM_MOMENT_SETTLE:
                live_settle(live, &step->view);
                break;
        case SIM_MOMENT_SEEK:
                live_seek(live, &step->view, step->at);
                break;
        case SIM_MOMENT_END:
                if (!live_end(live, &step->view, step->at))
                        differ(pair, m, step->node, "nothing runs live on core", step->at);
                break;
        case SIM_MOMENT_BORROW:
        case SIM_MOMENT_AFTER:
                break;
        }
}

/* ---- Comparing ---- */

static const char states[] = "ipgkTM";

static void tell_history(struct pair *pair, const struct machine *m, int32_t node)
{
        static const char names[] = "PSsE";
        const struct node *n = &m->node[node];
        size_t at = strlen(pair->history), room = sizeof(pair->history);
        if (at > room - 1500) {
                memmove(pair->history, pair->history + room / 2, room / 2);
                pair->history[room / 2] = '\0';
                at = strlen(pair->history);
        }
        at += (size_t)snprintf(pair->history + at, room - at, "\n%.6f node %d",
                               (double)m->now_ns * 1e-9, node);
        for (int32_t i = 0; i < pair->nstep && at < room; i++) {
                if (pair->step[i].node != node)
                        continue;
                at += (size_t)snprintf(pair->history + at, room - at, " %c%d(",
                                       names[pair->step[i].moment], pair->step[i].at);
                for (int32_t w = 0; w < n->nworker && at < room; w++)
                        at += (size_t)snprintf(pair->history + at, room - at, "%d%s ",
                                               pair->step[i].view.ready[w],
                                               pair->step[i].view.main_waits[w] ? "m" : "");
                at += (size_t)snprintf(pair->history + at, room - at, ")");
        }
        for (int32_t i = 0; i < m->ncore && at < room; i++) {
                const struct core *c = &m->core[node * m->stride + i];
                at += (size_t)snprintf(pair->history + at, room - at, " %d%d%c%s",
                                       local_of(m, c->owner), local_of(m, c->user),
                                       states[c->state], m->offered[c - m->core] ? "o" : "");
        }
        for (int32_t w = n->first_worker; w < n->first_worker + n->nworker && at < room; w++)
                at += (size_t)snprintf(pair->history + at, room - at, " t%d/r%d", m->target[w],
                                       *worker_count(&m->worker[w], COUNT_RECLAIMING));
}

/* Where cores are borrowed ahead, several may seek the same core at one instant, and who is quicker
 * is chance: a few such scripts may part there. */
static void differ(struct pair *pair, const struct machine *m, int32_t node, const char *what,
                   int32_t at)
{
        if (pair->left)
                return;
        if (pair->ahead > 0 && !getenv("LB_PROTOCOL_FIRST")) {
                pair->left = pair->parted = true;
                return;
        }
        printf("%s\n", pair->history);
        for (int32_t c = 0; c < m->ncore; c++) {
                struct live_core l = live_core(pair->live[node], c);
                printf(" %d%d%s%s%s%s%s", l.owner, l.user, l.running ? "T" : "", l.idle ? "i" : "",
                       l.kept_free ? "g" : "", l.offered ? "o" : "", l.asked ? "a" : "");
        }
        fail_msg("script %llu, at %.6f s, node %d: %s %d: see above, last lbsim, then live",
                 (unsigned long long)pair->number, (double)m->now_ns * 1e-9, node, what, at);
}

static bool same(const struct machine *m, const struct core *s, const struct live_core *l)
{
        bool runs = s->state == CORE_TASK || s->state == CORE_MAIN;
        bool idle = s->state == CORE_IDLE || s->state == CORE_GIVING || s->state == CORE_KEPT;
        return local_of(m, s->owner) == l->owner && local_of(m, s->user) == l->user &&
               runs == l->running && idle == l->idle && m->offered[s - m->core] == l->offered &&
               (s->state == CORE_GIVING) == l->kept_free;
}

/* What homes know of their helpers: as these told it at the last poll of their node. */
static void compare_known(struct pair *pair, const struct machine *m, int32_t apprank)
{
        const struct apprank *a = &m->apprank[apprank];
        int32_t home = m->edge_worker[a->first_edge], node = m->worker[home].node;
        for (int32_t k = 1; k < a->nedge; k++) {
                struct live_known l = live_known(pair->live[node], local_of(m, home), k);
                if (l.owned != a->view.owned_cores[k] || l.target != a->view.target_cores[k] ||
                    l.usable != a->view.usable_cores[k])
                        differ(pair, m, node, "what is known of place", k);
        }
}

/*
 * Where both differ on purpose: a live worker that keeps a borrowed core idle gives it back when it
 * looks, if its owner waits for any; in lbsim one that was borrowed after its owner had asked stays
 * until the next poll. Such a script ends here.
 */
static bool is_owed_and_kept(const struct machine *m)
{
        for (int32_t c = 0; c < m->nnode * m->stride; c++) {
                const struct core *core = &m->core[c];
                if (c % m->stride < m->ncore && core->state == CORE_KEPT &&
                    *worker_count(&m->worker[core->owner], COUNT_RECLAIMING) > 0)
                        return true;
        }
        return false;
}

static void compare(struct pair *pair, const struct machine *m, int32_t node)
{
        const struct node *n = &m->node[node];
        int32_t asked[LIVE_WORKER_MAX] = { 0 };
        for (int32_t c = 0; c < m->ncore; c++) {
                const struct core *core = &m->core[node * m->stride + c];
                struct live_core l = live_core(pair->live[node], c);
                pair->nstate[core->state]++;
                if (!same(m, core, &l))
                        differ(pair, m, node, "core", c);
                asked[l.owner] += l.asked && l.user != l.owner;
        }
        for (int32_t i = 0; i < n->nworker; i++) {
                int32_t w = n->first_worker + i;
                if (m->drom && live_target(pair->live[node], i) != m->target[w])
                        differ(pair, m, node, "target of worker", i);
                if (asked[i] != *worker_count(&m->worker[w], COUNT_RECLAIMING))
                        differ(pair, m, node, "cores asked back by worker", i);
                pair->ntalk += m->owned[w] == 0 && m->running[w] > 0;
        }
        live_check(pair->live[node]);
}

static int32_t node_of(const struct machine *m, enum sim_moment moment, int32_t at)
{
        if (moment == SIM_MOMENT_SEEK)
                return m->worker[at].node;
        return moment == SIM_MOMENT_END ? at / m->stride : at;
}

static void note(struct pair *pair, const struct machine *m, enum sim_moment moment, int32_t at)
{
        int32_t node = node_of(m, moment, at);
        assert_in_range(pair->nstep, 0, STEP_MAX - 1);
        struct step *step = &pair->step[pair->nstep++];
        *step = (struct step){ .moment = moment, .node = node };
        if (moment == SIM_MOMENT_SEEK)
                step->at = local_of(m, at);
        else if (moment == SIM_MOMENT_END)
                step->at = at % m->stride;
        look(m, node, &step->view);
}

/* In the last step of its node. */
static void note_choice(struct pair *pair, const struct machine *m, int32_t core)
{
        int32_t i = pair->nstep - 1, node = core / m->stride;
        while (i >= 0 && pair->step[i].node != node)
                i--;
        if (i < 0)
                return;
        struct step *step = &pair->step[i];
        assert_in_range(step->nchoice, 0, LIVE_CHOICE_MAX - 1);
        step->choice[step->nchoice++] =
            (struct live_choice){ local_of(m, m->core[core].user), core % m->stride };
}

static void moment(void *user, const struct machine *m, enum sim_moment moment, int32_t at)
{
        struct pair *pair = user;
        if (pair->left)
                return;
        bool touched[LIVE_NODE_MAX] = { false };
        if (moment == SIM_MOMENT_BORROW) {
                note_choice(pair, m, at);
                return;
        }
        if (moment != SIM_MOMENT_AFTER) {
                note(pair, m, moment, at);
                return;
        }
        pair->left = is_owed_and_kept(m);
        for (int32_t i = 0; i < pair->nstep && !pair->left; i++)
                touched[pair->step[i].node] = true;
        for (int32_t n = 0; n < m->nnode; n++)
                if (touched[n]) {
                        make_wish(pair, m, n);
                        tell_history(pair, m, n);
                }
        for (int32_t i = 0; i < pair->nstep && !pair->left; i++)
                act(pair, m, &pair->step[i]);
        for (int32_t n = 0; n < m->nnode; n++)
                if (touched[n])
                        compare(pair, m, n);
        for (int32_t a = 0; a < m->napprank && !pair->left; a++)
                compare_known(pair, m, a);
        pair->nstep = 0;
        pair->nevent++;
}

/* Told at once: what lbsim's nodes know of each other at a poll, they know at once, too. */
static void hand_on(void *user, const struct control_mail *mail)
{
        struct pair *pair = user;
        pair->nmail++;
        for (int32_t n = 0; n < pair->spec.nnode; n++)
                if (pair->live[n])
                        live_mail(pair->live[n], mail->destination, mail);
}

static bool is_global(const struct pair *pair)
{
        return alloc_find(system_find(pair->spec.system)->alloc)->scope == ALLOC_SCOPE_GLOBAL;
}

/* Not too close to each other: a live worker that is woken polls again, and that is no new poll. */
static int64_t next_poll_ns(void *user, int32_t node, int64_t now_ns)
{
        struct pair *pair = user;
        int64_t poll_ns = (int64_t)(pair->spec.poll_s * 1e9);
        if (node == 0 && is_global(pair)) /* at once with lbsim's decider */
                return (now_ns / poll_ns + 1) * poll_ns;
        return now_ns + poll_ns / 2 + (int64_t)lb_random_below(&pair->random, (uint64_t)poll_ns);
}

/* ---- Scripts ---- */

static int32_t below(struct pair *pair, int32_t n)
{
        return (int32_t)lb_random_below(&pair->random, (uint64_t)n);
}

struct script {
        double workload[WORKLOAD_NPARAM], network[NETWORK_NPARAM], runtime[RUNTIME_NPARAM];
        double alloc[16], lend[16], place[16], load_ms[LIVE_EDGE_MAX];
};

static void set(double *value, const struct lb_param *table, const char *name, double to)
{
        int place = lb_param_find(table, name);
        assert_true(place >= 0);
        value[place] = to;
}

/* Appranks at home in blocks, helpers on the next nodes; sometimes with too few cores for them. */
static void make_graph(struct pair *pair)
{
        struct live_spec *spec = &pair->spec;
        int32_t degree = spec->nnode == 1 ? 1 : 1 + below(pair, spec->nnode), edge = 0;
        pair->per_node = spec->nnode == 1 ? 2 + below(pair, NWORKER - 1) : 1 + below(pair, 2);
        spec->napprank = spec->nnode * pair->per_node;
        spec->system = degree == 1 ? "dlb" : below(pair, 3) == 0 ? "test-global" : "local";
        for (int32_t a = 0; a < spec->napprank; a++)
                for (int32_t k = 0; k < degree; k++) {
                        pair->edge_node[edge++] = (a / pair->per_node + k) % spec->nnode;
                        pair->first[a + 1] = edge;
                }
        spec->apprank_first = pair->first;
        spec->edge_node = pair->edge_node;
        bool talk = spec->lewi && below(pair, 2);
        spec->ncore = pair->per_node * (talk ? 1 : degree) + below(pair, talk ? 3 : 9);
}

static void make_script(struct pair *pair, struct script *s)
{
        struct live_spec *spec = &pair->spec;
        const struct lb_param *lend = lend_find("lewi")->params;
        lb_param_defaults(workload_params, s->workload);
        lb_param_defaults(network_params, s->network);
        lb_param_defaults(runtime_params, s->runtime);
        lb_param_defaults(lend, s->lend);
        lb_param_defaults(place_find("locality")->params, s->place);
        *spec = (struct live_spec){ .nnode = below(pair, 3) == 0 ? 2 + below(pair, 2) : 1,
                                    .lewi = below(pair, 4) > 0,
                                    .drom = below(pair, 4) > 0,
                                    .boundary = below(pair, 3) == 0,
                                    .poll_s = 0.25 * (1 + below(pair, 3)),
                                    .alloc_param = s->alloc,
                                    .lend_param = s->lend,
                                    .post = hand_on,
                                    .user = pair };
        make_graph(pair);
        const struct lb_param *alloc = alloc_find(system_find(spec->system)->alloc)->params;
        lb_param_defaults(alloc, s->alloc);
        s->workload[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "given");
        set(s->workload, workload_params, "iterations", 2 + below(pair, 5));
        set(s->workload, workload_params, "tasks_per_core", 1 + below(pair, 4));
        set(s->workload, workload_params, "jitter", 1);
        set(s->workload, workload_params, "jitter_cv", 0.4);
        for (int32_t a = 0; a < spec->napprank; a++)
                s->load_ms[a] = 20 + below(pair, 400);
        if (is_global(pair))
                set(s->alloc, alloc, "period_s", spec->poll_s * (1 + below(pair, 3)));
        else
                set(s->alloc, alloc, "local_average_s", 0.1 + below(pair, 3));
        set(s->lend, lend, "lend_when", below(pair, 3) == 0);
        set(s->lend, lend, "lend_keep_last", below(pair, 3) == 0);
        set(s->lend, lend, "lend_to_last", below(pair, 2) == 0);
        pair->ahead = below(pair, 3) == 0 ? 1 + below(pair, 3) : 0;
        set(s->lend, lend, "borrow_ahead", pair->ahead);
        s->runtime[RUNTIME_POLL_S] = spec->poll_s;
        s->runtime[RUNTIME_SOLVER_TIME] = SOLVER_TIME_NONE;
        s->runtime[RUNTIME_OWNERSHIP] = spec->boundary ? OWNERSHIP_BOUNDARY : OWNERSHIP_IDLE;
}

static void run_script(struct pair *pair, const struct script *s)
{
        struct lb_error err = { 0 };
        const struct live_spec *spec_of = &pair->spec;
        const struct system_type *system = system_find(spec_of->system);
        const double speed[LIVE_NODE_MAX] = { 1, 1, 1 };
        struct graph *graph =
            graph_from_edges(spec_of->napprank, spec_of->nnode, pair->first, pair->edge_node, &err);
        struct workload_spec workload_spec = { .nnode = spec_of->nnode,
                                               .cores_per_node = pair->spec.ncore,
                                               .appranks_per_node = pair->per_node,
                                               .param = s->workload,
                                               .load_ms = s->load_ms,
                                               .nload = spec_of->napprank,
                                               .seed = pair->number };
        struct workload *workload = workload_create(&workload_spec, &err);
        if (!graph || !workload)
                fail_msg("%s", err.text);
        struct sim_watch watch = { .user = pair, .next_poll_ns = next_poll_ns, .moment = moment };
        struct sim_spec spec = { .system = system,
                                 .graph = graph,
                                 .appranks_per_node = pair->per_node,
                                 .workload = workload,
                                 .cores_per_node = pair->spec.ncore,
                                 .node_speed = speed,
                                 .network = s->network,
                                 .runtime = s->runtime,
                                 .alloc = alloc_find(system->alloc),
                                 .alloc_param = s->alloc,
                                 .lend = lend_find(system->lend),
                                 .lend_param = s->lend,
                                 .place = place_find(system->place),
                                 .place_param = s->place,
                                 .lewi = pair->spec.lewi,
                                 .drom = pair->spec.drom,
                                 .seed = pair->number,
                                 .watch = &watch };
        struct sim_result result;
        if (sim_run(&spec, &result, NULL, &err) < 0)
                fail_msg("%s", err.text);
        pair->ntransfer += (int64_t)result.metric[METRIC_OWNERSHIP_CHANGES];
        sim_result_finish(&result);
        workload_destroy(workload);
        graph_destroy(graph);
}

static void create_nodes(struct pair *pair)
{
        for (int32_t n = 0; n < pair->spec.nnode; n++) {
                pair->spec.node = n;
                pair->live[n] = live_create(&pair->spec);
        }
}

static void test_scripts(void **state)
{
        (void)state;
        const char *first = getenv("LB_PROTOCOL_FIRST"), *count = getenv("LB_PROTOCOL_COUNT");
        uint64_t from = first ? strtoull(first, NULL, 10) : 0;
        uint64_t until = from + (count ? strtoull(count, NULL, 10) : NSCRIPT);
        struct pair *pair = calloc(1, sizeof(*pair));
        int64_t nevent = 0, nstate[CORE_MAIN + 1] = { 0 }, ntransfer = 0, nmail = 0, ntalk = 0;
        int64_t nahead = 0, nparted = 0;
        for (uint64_t number = from; number < until; number++) {
                struct script s;
                memset(pair, 0, sizeof(*pair));
                pair->number = number;
                lb_random_init(&pair->random, number, LB_RANDOM_PHASE, 1);
                make_script(pair, &s);
                create_nodes(pair);
                run_script(pair, &s);
                for (int32_t n = 0; n < pair->spec.nnode; n++)
                        live_destroy(pair->live[n]);
                nahead += pair->ahead > 0;
                nparted += pair->parted;
                nmail += pair->nmail;
                ntalk += pair->ntalk;
                nevent += pair->nevent;
                ntransfer += pair->ntransfer;
                for (int i = 0; i <= CORE_MAIN; i++)
                        nstate[i] += pair->nstate[i];
        }
        free(pair);
        assert_true(count || (nmail > 0 && ntalk > 0));
        assert_in_range(nparted, 0, nahead / 100);
        printf("%lld events, %lld ownership changes, %lld mails, %lld borrowed by who owns none; "
               "%lld of %lld that borrow ahead parted; "
               "cores idle %lld, pooled %lld, giving %lld, "
               "kept %lld, busy %lld\n",
               (long long)nevent, (long long)ntransfer, (long long)nmail, (long long)ntalk,
               (long long)nparted, (long long)nahead, (long long)nstate[CORE_IDLE],
               (long long)nstate[CORE_POOLED], (long long)nstate[CORE_GIVING],
               (long long)nstate[CORE_KEPT], (long long)nstate[CORE_TASK]);
}

int main(void)
{
        policies_plug();
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_scripts) };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
