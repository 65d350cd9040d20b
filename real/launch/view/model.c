/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/view/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "real/control/job.h"
#include "real/launch/view/frame.h"

static const int64_t period_ns = 1000000000; /* over which busy cores are measured, at least */

/* ---- Lines ---- */

static bool is_shown(char c)
{
        return (unsigned char)c >= ' ' && c != 127;
}

void view_lines_add(struct view_lines *lines, const char *text, size_t size)
{
        for (size_t i = 0; i < size; i++) {
                char *line = lines->text[lines->count % VIEW_LINES];
                size_t length = strlen(line);
                if (text[i] == '\n')
                        lines->text[++lines->count % VIEW_LINES][0] = '\0';
                else if (length + 1 < VIEW_LINE_SIZE && (is_shown(text[i]) || text[i] == '\t'))
                        memcpy(line + length, (char[]){ is_shown(text[i]) ? text[i] : ' ', '\0' },
                               2);
        }
}

/* ---- Life cycle ---- */

static void create_node(struct view_model *model, int32_t n)
{
        const struct lb_shape *shape = &model->job->shape;
        struct view_node *node = &model->node[n];
        int32_t first = shape->node_first[n];
        node->ncore = job_node_cores(model->job, n);
        node->nworker = shape->node_first[n + 1] - first;
        node->worker = calloc((size_t)node->nworker + 1, sizeof(*node->worker));
        node->core = calloc((size_t)node->ncore + 1, sizeof(*node->core));
        for (int32_t w = 0; node->worker && w < node->nworker; w++)
                node->worker[w].apprank = shape->worker_apprank[shape->node_worker[first + w]];
}

struct view_model *view_model_create(const struct job *job, const struct frames *frames,
                                     int64_t now_ns, struct lb_error *err)
{
        struct view_model *model = calloc(1, sizeof(*model));
        bool made = model != NULL;
        if (made) {
                model->job = job;
                model->frames = frames;
                model->begin_ns = now_ns;
                model->node = calloc((size_t)job->nnode + 1, sizeof(*model->node));
                model->apprank_busy = calloc((size_t)job->napprank + 1, sizeof(double));
                made = model->node && model->apprank_busy;
        }
        for (int32_t n = 0; made && n < job->nnode; n++) {
                create_node(model, n);
                made = model->node[n].worker && model->node[n].core;
        }
        if (made)
                return model;
        view_model_destroy(model);
        lb_error_fail(err, "out of memory");
        return NULL;
}

void view_model_destroy(struct view_model *model)
{
        if (!model)
                return;
        for (int32_t n = 0; model->node && n < model->job->nnode; n++) {
                board_close(model->node[n].board);
                free(model->node[n].worker);
                free(model->node[n].core);
        }
        free(model->node);
        free(model->apprank_busy);
        free(model);
}

/* ---- Looks ---- */

char view_letter(int32_t apprank)
{
        static const char letters[] =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        return apprank < 0 ? '-' : letters[(size_t)apprank % (sizeof(letters) - 1)];
}

int32_t view_apprank(const struct view_node *node, int32_t worker)
{
        return worker < 0 || worker >= node->nworker ? -1 : node->worker[worker].apprank;
}

/* Workers tell at their polls; a period begins and ends with a telling. */
static void look_at_busy(struct view_worker *worker, const struct frame_worker *row)
{
        if (worker->at_ns && row->at_ns < worker->at_ns + period_ns)
                return;
        if (worker->at_ns)
                worker->busy_cores =
                    (double)(row->busy_ns - worker->busy_ns) / (double)(row->at_ns - worker->at_ns);
        worker->busy_ns = row->busy_ns;
        worker->at_ns = row->at_ns;
}

/* Whatever way a node is seen. */
static struct frame_worker row_of(const struct view_model *model, int32_t n, int32_t worker)
{
        struct board *board = model->node[n].board;
        return board ? frame_worker(board, worker) : frames_worker(model->frames, n, worker);
}

static struct board_core core_of(const struct view_model *model, int32_t n, int32_t core)
{
        const struct board *board = model->node[n].board;
        return board ? board_core(board, core) : frames_core(model->frames, n, core);
}

/* What a decision changes; the first is told whole. */
static void look_at_targets(struct view_model *model, int32_t n)
{
        struct view_node *node = &model->node[n];
        char line[VIEW_LINE_SIZE] = "";
        for (int32_t w = 0; w < node->nworker; w++) {
                struct view_worker *worker = &node->worker[w];
                int32_t target = row_of(model, n, w).target;
                if (target == worker->target)
                        continue;
                lb_text_add(line, VIEW_LINE_SIZE, ", %c(%" PRId32 ")", view_letter(worker->apprank),
                            worker->apprank);
                if (worker->target > 0)
                        lb_text_add(line, VIEW_LINE_SIZE, " %" PRId32 " ->", worker->target);
                lb_text_add(line, VIEW_LINE_SIZE, " %" PRId32, target);
                worker->target = target;
        }
        char whole[VIEW_LINE_SIZE + 64];
        int size = snprintf(whole, sizeof(whole), "%8.1f s  node %" PRId32 ": cores to own %s\n",
                            model->at_s, n, line + (line[0] ? 2 : 0));
        if (line[0])
                view_lines_add(&model->decisions, whole, (size_t)size);
}

static void find_node(struct view_model *model, int32_t n)
{
        struct view_node *node = &model->node[n];
        const struct board_spec spec = {
                .job = model->job->id, .node = n, .nworker = node->nworker, .ncore = node->ncore
        };
        if (!node->board)
                node->board = board_look(&spec);
        node->seen = node->board || (model->frames && frames_seen(model->frames, n));
}

static void look_at_node(struct view_model *model, int32_t n)
{
        struct view_node *node = &model->node[n];
        find_node(model, n);
        if (!node->seen)
                return;
        model->nseen++;
        node->busy_cores = 0;
        node->ready = node->lent = 0;
        for (int32_t w = 0; w < node->nworker; w++) {
                const struct frame_worker row = row_of(model, n, w);
                look_at_busy(&node->worker[w], &row);
                node->busy_cores += node->worker[w].busy_cores;
                model->apprank_busy[node->worker[w].apprank] += node->worker[w].busy_cores;
                node->ready += row.ready;
                node->lent += row.borrowed;
        }
        for (int32_t c = 0; c < node->ncore; c++)
                node->core[c] = core_of(model, n, c);
        look_at_targets(model, n);
}

struct most {
        double max, sum;
        int32_t count;
};

static void most_add(struct most *most, double value)
{
        most->max = value > most->max ? value : most->max;
        most->sum += value;
        most->count++;
}

static double most_imbalance(const struct most *most)
{
        return most->sum > 0 ? most->max * most->count / most->sum : 0;
}

void view_model_look(struct view_model *model, int64_t now_ns)
{
        const struct job *job = model->job;
        struct most nodes = { 0 }, appranks = { 0 };
        model->at_s = (double)(now_ns - model->begin_ns) * 1e-9;
        model->nseen = 0;
        memset(model->apprank_busy, 0, (size_t)job->napprank * sizeof(double));
        for (int32_t n = 0; n < job->nnode; n++) {
                look_at_node(model, n);
                if (model->node[n].seen)
                        most_add(&nodes, model->node[n].busy_cores);
        }
        for (int32_t a = 0; a < job->napprank; a++)
                most_add(&appranks, model->apprank_busy[a]);
        model->node_imbalance = most_imbalance(&nodes);
        model->apprank_imbalance = most_imbalance(&appranks);
}
