/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/post.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/control/job.h"
#include "real/launch/contact.h"
#include "real/launch/family.h"
#include "real/launch/janitor.h"
#include "real/launch/view/frame.h"
#include "real/node/board.h"
#include "real/node/estate.h"

enum { NEWS, LINE, DAEMON, KEEPERS, NFD };
enum { BEAT_MS = 1000, FAILURES_MAX = 2 };

struct member {
        bool ended;
        int32_t keeper, pid; /* 0: not known */
        int fd;              /* of the keeper's process; -1: none */
        int estate;          /* of what the rank leaves; 0: not known */
};

struct post {
        const struct job *job;
        int32_t node;
        pid_t daemon;
        int fd[NFD];
        bool daemon_gone, lbrun_gone, viewed;
        bool failed;         /* a rank has, or its keeper was killed */
        bool has_sent;       /* what the ranks have left */
        struct board *board; /* for the view; NULL: not there yet */
        struct contact_part part;
        struct member *member; /* [nworker] by rank */
};

/* ---- News ---- */

static void pass_on(struct post *post, const struct news *news)
{
        if (!contact_write(post->fd[LINE], news, sizeof(*news)) && errno != EAGAIN)
                post->lbrun_gone = true;
}

static void watch_keeper(struct post *post, int32_t rank)
{
        struct epoll_event event = { .events = EPOLLIN, .data.u32 = (uint32_t)rank };
        struct member *member = &post->member[rank];
        member->fd = (int)syscall(SYS_pidfd_open, member->keeper, 0);
        if (member->fd >= 0)
                epoll_ctl(post->fd[KEEPERS], EPOLL_CTL_ADD, member->fd, &event);
}

static void take(struct post *post, const struct news *news)
{
        if (news->rank < 0 || news->rank >= post->job->nworker)
                return;
        struct member *member = &post->member[news->rank];
        if (member->keeper == 0) {
                member->keeper = news->sender;
                watch_keeper(post, news->rank);
        }
        if (member->keeper != news->sender)
                return;
        member->pid = news->pid;
        member->ended |= news->kind == NEWS_ENDED;
        post->failed |= news->kind == NEWS_ENDED && news->value != 0;
        if (news->kind != NEWS_BEAT)
                pass_on(post, news);
}

static void keep(struct post *post, const struct news *news, int passed)
{
        bool known = news->rank >= 0 && news->rank < post->job->nworker;
        if (known && post->member[news->rank].keeper == news->sender &&
            post->member[news->rank].estate == 0)
                post->member[news->rank].estate = passed;
        else
                close(passed);
}

static void look_at_news(struct post *post)
{
        struct news news;
        int passed;
        while (news_receive(post->fd[NEWS], &news, &passed)) {
                take(post, &news);
                if (passed >= 0)
                        keep(post, &news, passed);
        }
}

/* Their last words come before their end. */
static void look_at_keepers(struct post *post)
{
        struct epoll_event event;
        int count = epoll_wait(post->fd[KEEPERS], &event, 1, 0);
        look_at_news(post);
        for (; count == 1; count = epoll_wait(post->fd[KEEPERS], &event, 1, 0)) {
                struct member *member = &post->member[event.data.u32];
                struct news lost = { .kind = NEWS_KEEPER,
                                     .rank = (int32_t)event.data.u32,
                                     .pid = member->keeper,
                                     .sender = member->keeper,
                                     .value = SIGKILL };
                close(member->fd);
                if (!member->ended)
                        pass_on(post, &lost);
                post->failed |= !member->ended;
                member->ended = true;
        }
}

/* ---- lbrun ---- */

static void signal_ranks(const struct post *post, int32_t signal)
{
        for (int32_t i = 0; i < post->job->nworker; i++)
                if (post->member[i].pid > 0 && !post->member[i].ended)
                        kill(post->member[i].pid, signal);
}

static void say(struct post *post, enum news_kind kind, int32_t value)
{
        pass_on(post, &(struct news){ .kind = (int32_t)kind, .rank = -1, .value = value });
}

/* With the ranks' output, which the launcher would wait for. */
static void end_left(struct post *post)
{
        int32_t count = family_kill_left(post->job->id, post->daemon);
        if (count > 0)
                say(post, NEWS_LEFT, count);
}

/* ---- What ranks leave ---- */

/* MPI's daemon may be gone before its ranks are, where another node's have failed. */
static bool ended_well(const struct post *post)
{
        for (int32_t i = 0; i < post->job->nworker; i++)
                if (post->member[i].keeper && !post->member[i].ended)
                        return false;
        return !post->failed;
}

static bool send_estate(const struct post *post, int32_t rank)
{
        struct estate_copy copy;
        if (estate_read(&copy, post->member[rank].estate) < 0)
                return true;
        size_t size = estate_packed(&copy);
        void *bytes = size <= INT32_MAX ? malloc(size) : NULL;
        bool sent = true;
        if (bytes) {
                struct news news = { .kind = NEWS_ESTATE, .rank = rank, .value = (int32_t)size };
                estate_pack(&copy, bytes);
                sent = contact_write_all(post->fd[LINE], &news, sizeof(news)) &&
                       contact_write_all(post->fd[LINE], bytes, size);
        }
        free(bytes);
        estate_release(&copy);
        return sent;
}

static void send_estates(struct post *post)
{
        bool sent = !post->has_sent;
        post->has_sent = true;
        for (int32_t i = 0; sent && i < post->job->nworker; i++)
                if (post->member[i].estate > 0)
                        sent = send_estate(post, i);
        if (sent)
                say(post, NEWS_ESTATE, 0);
}

/* After a look at the keepers: what has happened to them before lbrun asked is sent by now. */
static void look_at_line(struct post *post)
{
        int got;
        while ((got = contact_read(post->fd[LINE], &post->part, sizeof(int32_t))) == 1)
                if (post->part.is.signal == CONTACT_VIEW)
                        post->viewed = true;
                else if (post->part.is.signal == CONTACT_END)
                        end_left(post);
                else if (post->part.is.signal == CONTACT_ESTATES)
                        send_estates(post);
                else if (post->part.is.signal == CONTACT_ASK)
                        say(post, NEWS_BEAT, 1);
                else
                        signal_ranks(post, post->part.is.signal);
        post->lbrun_gone |= got < 0;
}

/* ---- Life ---- */

static void send_view(struct post *post)
{
        const int32_t *first = &post->job->shape.node_first[post->node];
        const struct board_spec spec = { .job = post->job->id,
                                         .node = post->node,
                                         .nworker = first[1] - first[0],
                                         .ncore = job_node_cores(post->job, post->node) };
        if (!post->board)
                post->board = board_look(&spec);
        if (post->board)
                frame_send(post->fd[LINE], post->board, spec.nworker, spec.ncore);
}

static bool is_due(int64_t *last_ns, int period_ms)
{
        int64_t now_ns = clock_ns();
        if (now_ns - *last_ns < period_ms * INT64_C(1000000))
                return false;
        *last_ns = now_ns;
        return true;
}

static void serve(struct post *post)
{
        struct pollfd wait[NFD];
        int64_t said_ns = 0, shown_ns = 0;
        const int view_ms = frame_period_ms(post->job->nnode);
        for (int i = 0; i < NFD; i++)
                wait[i] = (struct pollfd){ .fd = post->fd[i], .events = POLLIN };
        while (!post->lbrun_gone && !post->daemon_gone) {
                if (is_due(&said_ns, BEAT_MS))
                        say(post, NEWS_BEAT, 0);
                if (post->viewed && is_due(&shown_ns, view_ms))
                        send_view(post);
                if (poll(wait, NFD, post->viewed && view_ms < BEAT_MS ? view_ms : BEAT_MS) < 0)
                        continue;
                look_at_keepers(post);
                look_at_line(post);
                post->daemon_gone = wait[DAEMON].revents != 0;
        }
}

static _Noreturn void live(struct post *post, const struct post_office *office)
{
        struct janitor_place place;
        janitor_note_place(&place, office->job->id, &office->since);
        post->member = calloc((size_t)post->job->nworker + 1, sizeof(*post->member));
        post->fd[KEEPERS] = epoll_create1(EPOLL_CLOEXEC);
        janitor_let_go(post->fd, NFD);
        if (post->member && post->fd[KEEPERS] >= 0)
                serve(post);
        if (post->daemon_gone) {
                look_at_keepers(post);
                if (!ended_well(post))
                        send_estates(post);
                say(post, NEWS_LEAVES, 0);
        }
        for (int i = 0; i < NFD; i++)
                close(post->fd[i]); /* whoever still sends is not kept waiting */
        janitor_clean_place(&place);
        _exit(0);
}

/* No child of the keeper, which it outlives. */
static bool detach(struct post *post, const struct post_office *office)
{
        pid_t pid = fork();
        if (pid == 0) {
                setsid();
                if (fork() == 0)
                        live(post, office);
                _exit(0);
        }
        return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

/* Whoever has the socket's name is the one: two keepers cannot. */
static bool put_up(const struct post_office *office)
{
        struct lb_error err;
        struct post post = { .job = office->job,
                             .node = office->node,
                             .daemon = office->daemon,
                             .fd = { -1, -1, -1, -1 } };
        post.fd[NEWS] = news_open(office->job->id, &err);
        if (post.fd[NEWS] < 0)
                return true; /* somebody else just did */
        post.fd[LINE] = contact_connect(office->job->contact, office->node);
        post.fd[DAEMON] = (int)syscall(SYS_pidfd_open, office->daemon, 0);
        bool done = post.fd[LINE] >= 0 && post.fd[DAEMON] >= 0 && detach(&post, office);
        for (int i = 0; i < NFD; i++)
                if (post.fd[i] >= 0)
                        close(post.fd[i]);
        return done;
}

bool post_send(struct post_office *office, const struct news *news)
{
        int pass = news->kind == NEWS_STARTED ? office->pass : -1;
        if (news_send(office->job->id, news, pass))
                return true;
        if (office->node < 0 || !office->job->contact[0] || office->failures == FAILURES_MAX)
                return false;
        if (put_up(office))
                return news_send(office->job->id, news, pass);
        office->failures++;
        return false;
}
