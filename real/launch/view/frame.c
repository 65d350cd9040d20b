/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/view/frame.h"

#include <linux/sockios.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "real/control/job.h"
#include "real/launch/contact.h"
#include "real/launch/news.h"

/* ---- Pieces ---- */

enum { PIECE_CORES = 7 };

/* In news->what; news->rank is the worker, or the first of the cores. */
struct piece_cores {
        struct {
                int16_t owner, user;
        } core[PIECE_CORES];
};
_Static_assert(sizeof(struct frame_worker) <= sizeof(((struct news *)0)->what), "a row fits");
_Static_assert(sizeof(struct piece_cores) < sizeof(((struct news *)0)->what), "some cores fit");

struct frame_worker frame_worker(struct board *board, int32_t worker)
{
        const struct board_worker *row = board_worker(board, worker);
        return (struct frame_worker){ .busy_ns = atomic_load(&row->busy_ns),
                                      .at_ns = atomic_load(&row->at_ns),
                                      .ready = atomic_load(&row->ready),
                                      .borrowed = atomic_load(&row->borrowed),
                                      .target = atomic_load(&row->target) };
}

/* ---- A node's end ---- */

/* Of thousands, lbrun takes some ten thousand pieces a second at most. */
int frame_period_ms(int32_t nnode)
{
        enum { LEAST_MS = 250, TOGETHER = 256 };
        return LEAST_MS * (1 + nnode / TOGETHER);
}

/* A message that is cut would spoil the connection: far from the end of its buffer. */
static bool is_behind(int line)
{
        enum { BEHIND_BYTES = 8192 };
        int waiting = 0;
        return ioctl(line, SIOCOUTQ, &waiting) < 0 || waiting > BEHIND_BYTES;
}

static bool send_piece(int line, enum news_kind kind, int32_t index, const void *data, size_t size)
{
        struct news news = { .kind = (int32_t)kind, .rank = index };
        memcpy(news.what, data, size);
        return !is_behind(line) && contact_write(line, &news, sizeof(news));
}

static bool send_cores(int line, const struct board *board, int32_t first, int32_t ncore)
{
        struct piece_cores piece = { 0 };
        for (int32_t i = 0; i < PIECE_CORES && first + i < ncore; i++) {
                const struct board_core core = board_core(board, first + i);
                piece.core[i].owner = (int16_t)core.owner;
                piece.core[i].user = (int16_t)core.user;
        }
        return send_piece(line, NEWS_VIEW_CORES, first, &piece, sizeof(piece));
}

void frame_send(int line, struct board *board, int32_t nworker, int32_t ncore)
{
        bool sent = true;
        for (int32_t w = 0; sent && w < nworker; w++) {
                const struct frame_worker row = frame_worker(board, w);
                sent = send_piece(line, NEWS_VIEW_WORKER, w, &row, sizeof(row));
        }
        for (int32_t first = 0; sent && first < ncore; first += PIECE_CORES)
                sent = send_cores(line, board, first, ncore);
}

/* ---- lbrun's end ---- */

struct shared_row {
        _Atomic int64_t busy_ns, at_ns;
        _Atomic int32_t ready, borrowed, target;
};

struct shared_core {
        _Atomic int32_t owner, user;
};

struct frames {
        const struct job *job;
        void *memory; /* shared: in this order */
        size_t bytes;
        struct shared_row *row;   /* [nworker] node by node, as on their boards */
        struct shared_core *core; /* node by node */
        _Atomic int32_t *seen;    /* [nnode] */
        int64_t *core_first;      /* [nnode + 1] */
};

static bool count_cores(struct frames *frames)
{
        const struct job *job = frames->job;
        frames->core_first = calloc((size_t)job->nnode + 1, sizeof(*frames->core_first));
        for (int32_t n = 0; frames->core_first && n < job->nnode; n++)
                frames->core_first[n + 1] = frames->core_first[n] + job_node_cores(job, n);
        return frames->core_first != NULL;
}

static bool share(struct frames *frames)
{
        const struct job *job = frames->job;
        size_t row_bytes = (size_t)job->nworker * sizeof(*frames->row);
        size_t core_bytes = (size_t)frames->core_first[job->nnode] * sizeof(*frames->core);
        frames->bytes = row_bytes + core_bytes + (size_t)job->nnode * sizeof(*frames->seen);
        frames->memory =
            mmap(NULL, frames->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (frames->memory == MAP_FAILED) {
                frames->memory = NULL;
                return false;
        }
        frames->row = frames->memory;
        frames->core = (struct shared_core *)(frames->row + job->nworker);
        frames->seen = (_Atomic int32_t *)(frames->core + frames->core_first[job->nnode]);
        return true;
}

struct frames *frames_create(const struct job *job, struct lb_error *err)
{
        struct frames *frames = calloc(1, sizeof(*frames));
        if (frames)
                frames->job = job;
        if (frames && count_cores(frames) && share(frames))
                return frames;
        frames_destroy(frames);
        lb_error_fail(err, "out of memory");
        return NULL;
}

void frames_destroy(struct frames *frames)
{
        if (!frames)
                return;
        if (frames->memory)
                munmap(frames->memory, frames->bytes);
        free(frames->core_first);
        free(frames);
}

static struct shared_row *row_of(const struct frames *frames, int32_t node, int32_t worker)
{
        return &frames->row[frames->job->shape.node_first[node] + worker];
}

static struct shared_core *core_of(const struct frames *frames, int32_t node, int32_t core)
{
        return &frames->core[frames->core_first[node] + core];
}

static void take_worker(struct frames *frames, const struct news *news)
{
        const int32_t *first = &frames->job->shape.node_first[news->node];
        struct frame_worker row;
        if (news->rank < 0 || news->rank >= first[1] - first[0])
                return;
        memcpy(&row, news->what, sizeof(row));
        struct shared_row *to = row_of(frames, news->node, news->rank);
        atomic_store(&to->busy_ns, row.busy_ns);
        atomic_store(&to->at_ns, row.at_ns);
        atomic_store(&to->ready, row.ready);
        atomic_store(&to->borrowed, row.borrowed);
        atomic_store(&to->target, row.target);
}

static void take_cores(struct frames *frames, const struct news *news)
{
        int32_t ncore = job_node_cores(frames->job, news->node);
        struct piece_cores piece;
        memcpy(&piece, news->what, sizeof(piece));
        for (int32_t i = 0; i < PIECE_CORES && news->rank >= 0 && news->rank + i < ncore; i++) {
                struct shared_core *to = core_of(frames, news->node, news->rank + i);
                atomic_store(&to->owner, piece.core[i].owner);
                atomic_store(&to->user, piece.core[i].user);
        }
        atomic_store(&frames->seen[news->node], 1); /* they come after the rows */
}

void frames_take(struct frames *frames, const struct news *news)
{
        if (news->node < 0 || news->node >= frames->job->nnode)
                return;
        if (news->kind == NEWS_VIEW_WORKER)
                take_worker(frames, news);
        else if (news->kind == NEWS_VIEW_CORES)
                take_cores(frames, news);
}

bool frames_seen(const struct frames *frames, int32_t node)
{
        return atomic_load(&frames->seen[node]) != 0;
}

struct frame_worker frames_worker(const struct frames *frames, int32_t node, int32_t worker)
{
        const struct shared_row *row = row_of(frames, node, worker);
        return (struct frame_worker){ .busy_ns = atomic_load(&row->busy_ns),
                                      .at_ns = atomic_load(&row->at_ns),
                                      .ready = atomic_load(&row->ready),
                                      .borrowed = atomic_load(&row->borrowed),
                                      .target = atomic_load(&row->target) };
}

struct board_core frames_core(const struct frames *frames, int32_t node, int32_t core)
{
        const struct shared_core *from = core_of(frames, node, core);
        return (struct board_core){ .owner = atomic_load(&from->owner),
                                    .user = atomic_load(&from->user) };
}
