/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Migration at a rank: views as in lbsim (sim/systems/chameleon/exchange.c), of loads that each
 * rank tells the others when they change. There is no collective exchange, which would wait for
 * the slowest: each load told is one exchange. Its own load is the one that it has told, so that
 * all sort alike: where each of two ranks took the other, of an older load, for the most loaded
 * one, none pushed to the least. What is on its way to a rank counts there, so that a load that is
 * old does not draw more tasks than are missing.
 */
#include "real/control/control_impl.h"

static int32_t apprank_of(const struct control *c)
{
        return c->job->shape.worker_apprank[c->spec.worker];
}

int control_migrate_create(struct control *c, struct lb_error *err)
{
        struct migrating *m = &c->migrating;
        const char *name = job_policy_name(c->job, JOB_MIGRATION);
        size_t n = (size_t)c->job->napprank;
        if (!name)
                return 0;
        m->type = migrate_find(name);
        m->told = control_take(c, n, sizeof(*m->told));
        m->load = control_take(c, n, sizeof(*m->load));
        m->order = control_take(c, n, sizeof(*m->order));
        m->move = control_take(c, n, sizeof(*m->move));
        if (control_taken(c, err) < 0)
                return -1;
        for (int32_t i = 0; i < c->job->napprank; i++)
                m->order[i] = i;
        m->state = ask_migrate_make(m->type, c->job->napprank, c->job->migrate_param, c->log, err);
        return m->state ? 0 : -1;
}

void control_load_told(struct control *c, int32_t apprank, const struct control_load *load)
{
        struct migrating *m = &c->migrating;
        int64_t change = load->outstanding - m->told[apprank].outstanding;
        m->told[apprank] = *load;
        m->outstanding += change;
        m->changes += change != 0;
}

struct control_load control_load(struct control *c, const struct migrate_local *local,
                                 int64_t outstanding)
{
        struct migrating *m = &c->migrating;
        struct control_load known = { m->told[apprank_of(c)].load, outstanding };
        control_load_told(c, apprank_of(c), &known);
        return (struct control_load){ ask_load(m->type, m->state, local, c->log), outstanding };
}

static bool is_less(const struct migrating *m, int32_t a, int32_t b)
{
        return m->load[a] < m->load[b] || (m->load[a] == m->load[b] && a < b);
}

/* By insertion: from one time to the next the order hardly changes. Returns the place of `own`. */
static int32_t sort_ranks(struct migrating *m, int32_t nrank, int32_t own)
{
        int32_t position = 0;
        for (int32_t i = 0; i < nrank; i++) {
                int32_t rank = m->order[i], at = i;
                for (; at > 0 && is_less(m, rank, m->order[at - 1]); at--)
                        m->order[at] = m->order[at - 1];
                m->order[at] = rank;
        }
        while (m->order[position] != own)
                position++;
        return position;
}

static int64_t add_loads(struct migrating *m, int32_t nrank, const int64_t *under_way)
{
        int64_t sum = 0;
        for (int32_t i = 0; i < nrank; i++) {
                m->load[i] = m->told[i].load + under_way[i];
                sum += m->load[i];
        }
        return sum;
}

int32_t control_migrate(struct control *c, int64_t now_ns, bool replicates,
                        const struct migrate_local *local, const int64_t *under_way,
                        const int32_t *sending, const struct migrate_move **move)
{
        struct migrating *m = &c->migrating;
        struct lb_error err;
        int32_t own = apprank_of(c), n = c->job->napprank;
        struct migrate_view view = { .time_ns = now_ns,
                                     .rank = own,
                                     .nrank = n,
                                     .local = *local,
                                     .load = m->load,
                                     .order = m->order,
                                     .load_sum = add_loads(m, n, under_way),
                                     .sending = sending,
                                     .changes = m->changes };
        view.position = sort_ranks(m, n, own);
        int32_t nmove = ask_migrate(m->type, m->state, replicates, &view, m->move, c->log, &err);
        if (nmove < 0)
                control_refuse(c, m->type->name, "%s", err.text);
        c->figures.decisions += nmove > 0;
        *move = m->move;
        return nmove;
}
