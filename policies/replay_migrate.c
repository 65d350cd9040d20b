/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of migration policies, decided again. */
#include <stdlib.h>
#include <string.h>

#include "policies/called.h"
#include "policies/replay_impl.h"
#include "policies/state.h"

static const int64_t count_max = (int64_t)1 << 40;

void replay_migrate_finish(struct replay_migrate *m)
{
        free(m->param);
        free(m->load);
        free(m->order);
        free(m->sending);
        free(m->move);
        free(m->answer);
        free(m->state);
}

static void make(struct replay_line *line, struct replay_migrate *m)
{
        struct lb_error err;
        size_t n = (size_t)m->nrank;
        m->load = calloc(n, sizeof(*m->load));
        m->order = calloc(n, sizeof(*m->order));
        m->sending = calloc(n, sizeof(*m->sending));
        m->move = calloc(n, sizeof(*m->move));
        m->answer = calloc(2 * (2 * n + 1), sizeof(*m->answer));
        m->state = state_make(STATE_COUNTED(m->type), m->nrank, m->param, &err);
        if (!m->state)
                replay_complain(line, err.text);
        else if (!m->load || !m->order || !m->sending || !m->move || !m->answer)
                replay_out_of_memory(line);
}

void replay_begin_migrate(struct replay *replay, struct replay_line *line,
                          struct replay_worker *worker)
{
        struct replay_migrate *m = &worker->migrate;
        const char *name = replay_word(line);
        if (m->type)
                replay_complain(line, "the policy is made a second time");
        const struct migrate_type *type = migrate_find(name);
        if (!type)
                replay_unknown_policy(line, "migration", name);
        if (line->broken)
                return;
        m->type = type;
        m->nrank = replay_read_count(line);
        if (line->broken)
                return;
        m->param = replay_read_params(line, type->params);
        replay_end(line);
        if (!line->broken)
                make(line, m);
        replay_count(replay, REPLAY_MIGRATE, type->name)->states++;
}

static struct migrate_local read_local(struct replay_line *line, const struct replay_migrate *m)
{
        struct migrate_local local;
        if (!m->state)
                replay_complain(line, "the policy has not been made before");
        local.nthread = (int32_t)replay_int(line, 0, INT32_MAX);
        local.queued = replay_int(line, 0, count_max);
        local.copies = replay_int(line, 0, count_max);
        local.received = replay_int(line, 0, count_max);
        local.running = replay_int(line, 0, count_max);
        local.sent = replay_int(line, 0, count_max);
        return local;
}

void replay_load(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        struct replay_migrate *m = &worker->migrate;
        struct migrate_local local = read_local(line, m);
        replay_equals(line);
        int64_t then = replay_int(line, INT64_MIN, INT64_MAX);
        replay_end(line);
        if (line->broken)
                return;
        called_begin(m->type->name, "load");
        int64_t now = m->type->load(m->state, &local);
        called_end();
        struct replay_answer answer = { 0, "load, number", 1, &now, &then };
        replay_compare(replay, line, replay_count(replay, REPLAY_MIGRATE, m->type->name), &answer);
}

/* Each rank once, by ascending load: policies may rely on it. Returns the place of `rank`. */
static int32_t check_order(struct replay_line *line, const struct replay_migrate *m, int32_t rank)
{
        int32_t position = -1, previous = -1;
        for (int32_t i = 0; i < m->nrank; i++) {
                int32_t at = m->order[i];
                bool later = previous < 0 || m->load[at] > m->load[previous] ||
                             (m->load[at] == m->load[previous] && at > previous);
                if (!later)
                        replay_complain(line, "the ranks are not in the order of their loads");
                position = at == rank ? i : position;
                previous = at;
        }
        return position;
}

static struct migrate_view read_view(struct replay_line *line, struct replay_migrate *m)
{
        struct migrate_view view = { .nrank = m->nrank };
        view.time_ns = replay_int(line, 0, INT64_MAX);
        view.rank = (int32_t)replay_int(line, 0, m->nrank - 1);
        view.changes = replay_int(line, 0, INT64_MAX);
        view.local = read_local(line, m);
        for (int32_t i = 0; i < m->nrank && !line->broken; i++) {
                m->load[i] = replay_int(line, -count_max, count_max);
                view.load_sum += m->load[i];
        }
        replay_ints(line, m->order, m->nrank, m->nrank - 1);
        replay_ints(line, m->sending, m->nrank, INT32_MAX);
        view.load = m->load;
        view.order = m->order;
        view.sending = m->sending;
        if (!line->broken)
                view.position = check_order(line, m, view.rank);
        return view;
}

static int32_t read_moves(struct replay_line *line, const struct replay_migrate *m, int64_t *then)
{
        replay_equals(line);
        then[0] = replay_int(line, 0, m->nrank);
        for (int64_t i = 1; i <= 2 * then[0] && !line->broken; i++)
                then[i] = replay_int(line, 0, count_max);
        replay_end(line);
        return (int32_t)then[0];
}

static void replay_moves(struct replay *replay, struct replay_line *line, struct replay_migrate *m,
                         bool replicates)
{
        if (!m->answer) {
                replay_complain(line, "the policy has not been made before");
                return;
        }
        int64_t *now = m->answer, *then = now + 2 * m->nrank + 1;
        memset(now, 0, 2 * (2 * (size_t)m->nrank + 1) * sizeof(*now));
        struct migrate_view view = read_view(line, m);
        int32_t most = read_moves(line, m, then);
        if (line->broken)
                return;
        called_begin(m->type->name, replicates ? "replicate" : "decide");
        now[0] = (replicates ? m->type->replicate : m->type->decide)(m->state, &view, m->move);
        called_end();
        for (int32_t i = 0; i < now[0] && i < m->nrank; i++) {
                now[1 + 2 * i] = m->move[i].rank;
                now[2 + 2 * i] = m->move[i].ntask;
        }
        most = now[0] > most && now[0] <= m->nrank ? (int32_t)now[0] : most;
        struct replay_answer answer = { view.time_ns, "moves, then rank and tasks of each, number",
                                        2 * most + 1, now, then };
        replay_compare(replay, line, replay_count(replay, REPLAY_MIGRATE, m->type->name), &answer);
}

void replay_migrating(struct replay *replay, struct replay_line *line, struct replay_worker *worker)
{
        replay_moves(replay, line, &worker->migrate, false);
}

void replay_replicating(struct replay *replay, struct replay_line *line,
                        struct replay_worker *worker)
{
        replay_moves(replay, line, &worker->migrate, true);
}
