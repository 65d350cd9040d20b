/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ICPP'22 5.4.2, equation 1, as a linear program in cores c and speed s = 1 /
 * objective:
 *
 *   maximise s   with  sum of c on a node <= its cores,  sum of c of an apprank >= load s,  c >= 1
 *
 * then, with s held, maximise the cores at home less those on nodes where nobody is at home: as a
 * node with homes is full at that optimum, this leaves the fewest cores off home. Loads are scaled
 * so that s is about 1; below 1e-9 of that a load is none to a simplex.
 */
#include "policies/lp.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "policies/solve_arena.h"
#include "policies/solve_round.h"

struct solve_lp {
        struct lb_shape shape; /* a copy */
        glp_prob *problem;     /* NULL before the first run and after an error inside GLPK */
        double *cores;         /* [nworker] */
        double *goal;          /* [nworker] what a core counts in the second phase */
        int *row;              /* [napprank + 1] rows of the column of s; row[0] is their number */
        double *value;         /* [napprank + 1] its entries, from place 1 */
        void *rounding;        /* workspace of solve_round() */
};

/* GLPK reports bugs and bad input by printing and aborting: catch both. */
struct trap {
        jmp_buf jump;
        char text[256];
};

static void spring(void *info)
{
        struct trap *trap = info;
        longjmp(trap->jump, 1);
}

static int swallow(void *info, const char *text)
{
        struct trap *trap = info;
        size_t length = strlen(trap->text), room = sizeof(trap->text) - length - 1;
        strncat(trap->text, text, room);
        return 1;
}

static void disarm(void)
{
        glp_error_hook(NULL, NULL);
        glp_term_hook(NULL, NULL);
}

/* What a call into GLPK works on; the result of the work in `status`. */
struct job {
        struct solve_lp *lp;
        double speed; /* s */
        int status;   /* of the simplex; 0 is success */
};

/* Call work(job) with the trap set. After an error inside, GLPK's environment keeps the memory. */
static int guard(void (*work)(struct job *job), struct job *job, struct lb_error *err)
{
        struct trap trap = { .text = "" };
        glp_error_hook(spring, &trap);
        glp_term_hook(swallow, &trap);
        if (setjmp(trap.jump)) {
                disarm();
                job->lp->problem = NULL;
                trap.text[strcspn(trap.text, "\n")] = '\0';
                return lb_error_fail(err, "GLPK failed: %s", trap.text);
        }
        work(job);
        disarm();
        return 0;
}

static int speed_column(const struct solve_lp *lp)
{
        return lp->shape.nworker + 1;
}

static void add_rows(glp_prob *problem, const struct lb_shape *shape)
{
        glp_add_rows(problem, shape->nnode + shape->napprank);
        for (int32_t n = 0; n < shape->nnode; n++)
                glp_set_row_bnds(problem, n + 1, GLP_UP, 0, shape->cores[n]);
        for (int32_t a = 0; a < shape->napprank; a++)
                glp_set_row_bnds(problem, shape->nnode + a + 1, GLP_LO, 0, 0);
}

static void build(struct job *job)
{
        const struct lb_shape *shape = &job->lp->shape;
        glp_prob *problem = job->lp->problem = glp_create_prob();
        glp_set_obj_dir(problem, GLP_MAX);
        add_rows(problem, shape);
        glp_add_cols(problem, shape->nworker + 1);
        for (int32_t w = 0; w < shape->nworker; w++) {
                int row[] = { 0, shape->worker_node[w] + 1,
                              shape->nnode + shape->worker_apprank[w] + 1 };
                double one[] = { 0, 1, 1 };
                glp_set_col_bnds(problem, w + 1, GLP_LO, lb_shape_least(shape, w), 0);
                glp_set_mat_col(problem, w + 1, 2, row, one);
        }
        glp_set_col_bnds(problem, speed_column(job->lp), GLP_LO, 0, 0);
}

static void tear_down(struct job *job)
{
        glp_delete_prob(job->lp->problem);
}

static void reset_basis(struct job *job)
{
        glp_std_basis(job->lp->problem);
}

static void set_goal(const struct solve_lp *lp, bool speed)
{
        for (int32_t w = 0; w < lp->shape.nworker; w++)
                glp_set_obj_coef(lp->problem, w + 1, speed ? 0 : lp->goal[w]);
        glp_set_obj_coef(lp->problem, speed_column(lp), speed ? 1 : 0);
}

static int simplex(const struct solve_lp *lp)
{
        glp_smcp parm;
        glp_init_smcp(&parm);
        parm.msg_lev = GLP_MSG_OFF;
        parm.tol_bnd = parm.tol_dj = 1e-9;
        int status = glp_simplex(lp->problem, &parm);
        if (status) { /* a basis that went bad: once more from the start */
                glp_std_basis(lp->problem);
                status = glp_simplex(lp->problem, &parm);
        }
        return status ? status : glp_get_status(lp->problem) == GLP_OPT ? 0 : -1;
}

/* The largest speed. */
static void maximise_speed(struct job *job)
{
        const struct solve_lp *lp = job->lp;
        glp_set_mat_col(lp->problem, speed_column(lp), lp->row[0], lp->row, lp->value);
        glp_set_col_bnds(lp->problem, speed_column(lp), GLP_LO, 0, 0);
        set_goal(lp, true);
        job->status = simplex(lp);
        job->speed = glp_get_obj_val(lp->problem);
}

/* The most cores at home at that speed, held as tightly as the simplex can bear. */
static void maximise_home(struct job *job)
{
        static const double slack[] = { 1e-9, 1e-7, 1e-5 };
        const struct solve_lp *lp = job->lp;
        set_goal(lp, false);
        job->status = -1;
        for (size_t i = 0; i < sizeof(slack) / sizeof(slack[0]) && job->status; i++) {
                glp_set_col_bnds(lp->problem, speed_column(lp), GLP_LO, job->speed * (1 - slack[i]),
                                 0);
                job->status = simplex(lp);
        }
        for (int32_t w = 0; w < lp->shape.nworker; w++)
                lp->cores[w] =
                    fmax(lb_shape_least(&lp->shape, w), glp_get_col_prim(lp->problem, w + 1));
}

/*
 * The column of s: scaled loads such that total load = total cores. Returns what a scaled load of 1
 * is, so that objective = that / s; 0 where there is no load.
 */
static double scale_loads(struct solve_lp *lp, const double *load)
{
        const struct lb_shape *shape = &lp->shape;
        double largest = 0, sum = 0, total = 0;
        int count = 0;
        for (int32_t a = 0; a < shape->napprank; a++)
                largest = fmax(largest, load[a]);
        if (largest <= 0)
                return 0;
        for (int32_t a = 0; a < shape->napprank; a++)
                sum += load[a] / largest;
        for (int32_t n = 0; n < shape->nnode; n++)
                total += shape->cores[n];
        for (int32_t a = 0; a < shape->napprank; a++) {
                double scaled = load[a] / largest * (total / sum);
                if (scaled < 1e-9)
                        continue;
                lp->row[++count] = shape->nnode + a + 1;
                lp->value[count] = -scaled;
        }
        lp->row[0] = count;
        return largest / (total / sum);
}

/* No load: their least to helpers, the rest to those at home in equal parts. */
static void divide_equally(struct solve_lp *lp)
{
        const struct lb_shape *shape = &lp->shape;
        for (int32_t n = 0; n < shape->nnode; n++) {
                int32_t first = shape->node_first[n], end = shape->node_first[n + 1], home = 0;
                for (int32_t i = first; i < end; i++)
                        home += shape->worker_home[shape->node_worker[i]];
                int32_t spare = shape->cores[n] - alloc_least(shape, n);
                for (int32_t i = first; i < end; i++) {
                        int32_t w = shape->node_worker[i], least = lb_shape_least(shape, w);
                        lp->cores[w] = least + (shape->worker_home[w] ? (double)spare / home : 0);
                }
        }
}

/* 1 at home, -1 where nobody is at home, 0 for helpers elsewhere: their node is full anyway. */
static void fill_goals(struct solve_lp *lp)
{
        const struct lb_shape *shape = &lp->shape;
        for (int32_t n = 0; n < shape->nnode; n++) {
                bool homed = false;
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++)
                        homed |= shape->worker_home[shape->node_worker[i]];
                for (int32_t i = shape->node_first[n]; i < shape->node_first[n + 1]; i++) {
                        int32_t w = shape->node_worker[i];
                        lp->goal[w] = shape->worker_home[w] ? 1 : homed ? 0 : -1;
                }
        }
}

/* A copy of array[count], or NULL while only counting. */
static void *copy(struct arena *arena, const void *array, int32_t count, size_t size)
{
        void *there = arena_take(arena, (size_t)count, size);
        return there ? memcpy(there, array, (size_t)count * size) : NULL;
}

static void copy_shape(struct lb_shape *to, const struct lb_shape *from, struct arena *arena)
{
        int32_t nnode = from->nnode, napprank = from->napprank, nworker = from->nworker;
        *to = *from;
        to->cores = copy(arena, from->cores, nnode, sizeof(*to->cores));
        to->apprank_first =
            copy(arena, from->apprank_first, napprank + 1, sizeof(*to->apprank_first));
        to->worker_node = copy(arena, from->worker_node, nworker, sizeof(*to->worker_node));
        to->worker_apprank =
            copy(arena, from->worker_apprank, nworker, sizeof(*to->worker_apprank));
        to->worker_home = copy(arena, from->worker_home, nworker, sizeof(*to->worker_home));
        to->node_first = copy(arena, from->node_first, nnode + 1, sizeof(*to->node_first));
        to->node_worker = copy(arena, from->node_worker, nworker, sizeof(*to->node_worker));
        if (from->talk_only)
                to->talk_only = copy(arena, from->talk_only, nworker, sizeof(*to->talk_only));
}

/* The program and all its arrays, one after the other. */
static struct solve_lp *lay_out(struct arena *arena, const struct lb_shape *shape)
{
        size_t napprank = (size_t)shape->napprank, nworker = (size_t)shape->nworker;
        struct solve_lp counted, *lp = arena_take(arena, 1, sizeof(*lp));
        struct solve_lp *to = lp ? lp : &counted;
        copy_shape(&to->shape, shape, arena);
        to->problem = NULL;
        to->cores = arena_take(arena, nworker, sizeof(*to->cores));
        to->goal = arena_take(arena, nworker, sizeof(*to->goal));
        to->row = arena_take(arena, napprank + 1, sizeof(*to->row));
        to->value = arena_take(arena, napprank + 1, sizeof(*to->value));
        to->rounding = arena_take(arena, 1, solve_round_workspace_size(shape));
        return lp;
}

struct solve_lp *solve_lp_create(const struct lb_shape *shape, struct lb_error *err)
{
        if (!glp_config("TLS")) {
                lb_error_fail(err, "this GLPK is not built for threads");
                return NULL;
        }
        if (solve_check(shape, err))
                return NULL;
        struct arena arena = { 0 };
        lay_out(&arena, shape);
        arena = (struct arena){ .base = malloc(arena.used) };
        if (!arena.base) {
                lb_error_fail(err, "out of memory for a linear program of %d workers",
                              shape->nworker);
                return NULL;
        }
        struct solve_lp *lp = lay_out(&arena, shape);
        fill_goals(lp);
        return lp;
}

/* Where nothing of GLPK's is left in this thread, its environment goes, too. */
static void free_environment(void)
{
        int count;
        glp_mem_usage(&count, NULL, NULL, NULL);
        if (count == 0)
                glp_free_env();
}

void solve_lp_destroy(struct solve_lp *lp)
{
        if (!lp)
                return;
        struct lb_error ignored;
        if (lp->problem && guard(tear_down, &(struct job){ .lp = lp }, &ignored) == 0)
                free_environment();
        free(lp);
}

void solve_lp_forget(struct solve_lp *lp)
{
        struct lb_error ignored;
        if (lp->problem)
                (void)!guard(reset_basis, &(struct job){ .lp = lp }, &ignored);
}

/* Both phases, with the problem there. */
static int optimise(struct job *job, struct lb_error *err)
{
        if (guard(maximise_speed, job, err))
                return -1;
        if (job->status == 0 && job->speed > 0 && guard(maximise_home, job, err))
                return -1;
        if (job->status || !(job->speed > 0))
                return lb_error_fail(err, "GLPK found no optimum of the linear program (status %d)",
                                     job->status);
        return 0;
}

int solve_lp_run(struct solve_lp *lp, const double *load, double *cores, int32_t *owned_cores,
                 double *objective, struct lb_error *err)
{
        struct job job = { .lp = lp };
        if (solve_check_loads(&lp->shape, load, err))
                return -1;
        double unit = scale_loads(lp, load);
        if (unit > 0) {
                if (!lp->problem && guard(build, &job, err))
                        return -1;
                if (optimise(&job, err))
                        return -1;
        } else {
                divide_equally(lp);
        }
        *objective = unit > 0 ? unit / job.speed : 0;
        if (cores)
                memcpy(cores, lp->cores, (size_t)lp->shape.nworker * sizeof(*cores));
        if (owned_cores)
                solve_round(&lp->shape, lp->cores, lp->rounding, owned_cores);
        return 0;
}

const char *solve_lp_library(void)
{
        return glp_version();
}
