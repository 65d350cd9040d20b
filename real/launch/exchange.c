/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/exchange.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "real/control/job.h"
#include "real/launch/contact.h"
#include "real/launch/view/frame.h"

enum { UNKNOWN = -1, STRANGER_MAX = 64 };
static const int64_t second_ns = 1000000000;

/* Linked: of a node, or of somebody who has not said yet who it is. */
struct line {
        int fd;
        int32_t node;
        struct contact_part part;
        struct news estate; /* of which bytes are under way; kind 0: none */
        char *bytes;        /* [estate.value] */
        size_t have;
        struct line *next;
};

struct node {
        struct line *line; /* NULL: none */
        bool known, lost, left, spoke;
        bool answered;     /* since it was asked, or it has left */
        bool has_sent;     /* what its ranks have left */
        bool still;        /* it is silent, its machine answers, and that was said */
        int64_t silent_ns; /* since its last word, as far as lbrun ran */
        int64_t broke_ns;  /* when its connection broke; 0: it has not */
};

struct exchange {
        int fd, epoll;
        char key[CONTACT_KEY_SIZE];
        double node_s, hung_s;
        struct frames *frames; /* NULL: there is no view */
        int64_t at_ns;         /* of the last look */
        int32_t nnode, nstranger;
        struct line *lines, *current; /* all; the one that is read, NULL: none */
        int64_t estate_bytes;
        void *estate; /* for the news that were last received */
        struct node node[];
};

/* ---- Life ---- */

static int watch(struct exchange *x, int fd, struct line *line)
{
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = line };
        return epoll_ctl(x->epoll, EPOLL_CTL_ADD, fd, &event);
}

struct exchange *exchange_open(struct job *job, struct lb_error *err)
{
        struct exchange *x = calloc(1, sizeof(*x) + (size_t)job->nnode * sizeof(x->node[0]));
        if (!x) {
                lb_error_fail(err, "out of memory");
                return NULL;
        }
        x->nnode = job->nnode;
        x->node_s = job->param[JOB_NODE_S];
        x->hung_s = job->param[JOB_HUNG_S];
        x->fd = contact_listen(job->contact, sizeof(job->contact), x->key, err);
        x->epoll = x->fd >= 0 ? epoll_create1(EPOLL_CLOEXEC) : -1;
        if (x->epoll >= 0 && watch(x, x->fd, NULL) == 0)
                return x;
        if (x->fd >= 0)
                lb_error_fail(err, "cannot wait for other nodes: %s", strerror(errno));
        exchange_close(x);
        return NULL;
}

static void drop(struct exchange *x, struct line *line)
{
        struct line **at = &x->lines;
        while (*at != line)
                at = &(*at)->next;
        *at = line->next;
        if (line->node == UNKNOWN) {
                x->nstranger--;
        } else if (x->node[line->node].line == line) {
                x->node[line->node].line = NULL;
                x->node[line->node].broke_ns = clock_ns();
        }
        if (x->current == line)
                x->current = NULL;
        close(line->fd);
        free(line->bytes);
        free(line);
}

void exchange_close(struct exchange *x)
{
        if (!x)
                return;
        while (x->lines)
                drop(x, x->lines);
        if (x->epoll >= 0)
                close(x->epoll);
        if (x->fd >= 0)
                close(x->fd);
        free(x->estate);
        free(x);
}

int exchange_fd(const struct exchange *x)
{
        return x->epoll;
}

/* ---- What comes ---- */

/* The kernels ask each other every second: heard_s() looks at that. */
static void set_up(int fd)
{
        enum { TRIES_MAX = 127 };
        static const struct {
                int level, name, value;
        } option[] = { { IPPROTO_TCP, TCP_NODELAY, 1 },
                       { SOL_SOCKET, SO_KEEPALIVE, 1 },
                       { IPPROTO_TCP, TCP_KEEPIDLE, 1 },
                       { IPPROTO_TCP, TCP_KEEPINTVL, 1 },
                       { IPPROTO_TCP, TCP_KEEPCNT, TRIES_MAX } };
        for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++)
                setsockopt(fd, option[i].level, option[i].name, &option[i].value,
                           sizeof(option[i].value));
}

static void take_caller(struct exchange *x)
{
        int fd = accept4(x->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        struct line *line =
            fd >= 0 && x->nstranger < STRANGER_MAX ? calloc(1, sizeof(*line)) : NULL;
        if (!line || watch(x, fd, line) < 0) {
                free(line);
                if (fd >= 0)
                        close(fd);
                return;
        }
        set_up(fd);
        *line = (struct line){ .fd = fd, .node = UNKNOWN, .next = x->lines };
        x->lines = line;
        x->nstranger++;
}

static bool is_welcome(const struct exchange *x, const struct contact_hello *hello)
{
        return memcmp(hello->key, x->key, sizeof(x->key)) == 0 && hello->node >= 0 &&
               hello->node < x->nnode;
}

/* The latest of a node counts: another keeper has taken the post's place. */
static void welcome(struct exchange *x, struct line *line)
{
        struct node *node = &x->node[line->part.is.hello.node];
        struct line *before = node->line;
        x->nstranger--;
        line->node = line->part.is.hello.node;
        node->line = line;
        node->known = true;
        node->silent_ns = node->broke_ns = 0;
        if (before)
                drop(x, before);
        if (x->frames)
                contact_write(line->fd, &(int32_t){ CONTACT_VIEW }, sizeof(int32_t));
}

/* Returns whether there are news in the line's part. */
static bool read_line(struct exchange *x, struct line *line)
{
        bool stranger = line->node == UNKNOWN;
        int got = contact_read(line->fd, &line->part,
                               stranger ? sizeof(struct contact_hello) : sizeof(struct news));
        if (got == 0)
                return false;
        if (got < 0 || (stranger && !is_welcome(x, &line->part.is.hello))) {
                drop(x, line);
                return false;
        }
        if (stranger)
                welcome(x, line);
        else
                x->node[line->node].silent_ns = 0;
        x->node[line->node].spoke = true;
        return !stranger;
}

/* What comes next on the line is no news, but bytes. */
static void begin_estate(struct exchange *x, struct line *line, const struct news *news)
{
        enum { BYTES_MAX = 1 << 29 };
        if (news->rank < 0 || news->value <= 0 || news->value > BYTES_MAX) {
                x->node[line->node].has_sent = true;
                return;
        }
        line->bytes = malloc((size_t)news->value);
        if (!line->bytes) {
                drop(x, line);
                return;
        }
        line->estate = *news;
        line->have = 0;
}

/* Returns whether all is there. */
static bool read_estate(struct exchange *x, struct line *line, struct news *news)
{
        size_t size = (size_t)line->estate.value;
        ssize_t got = recv(line->fd, line->bytes + line->have, size - line->have, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
                return false;
        if (got <= 0) {
                drop(x, line);
                return false;
        }
        x->node[line->node].silent_ns = 0;
        line->have += (size_t)got;
        x->estate_bytes += got;
        if (line->have < size)
                return false;
        *news = line->estate;
        news->node = line->node;
        free(x->estate);
        x->estate = line->bytes;
        line->bytes = NULL;
        line->estate.kind = NEWS_NONE;
        return true;
}

void *exchange_take_estate(struct exchange *x)
{
        void *estate = x->estate;
        x->estate = NULL;
        return estate;
}

int64_t exchange_estate_bytes(const struct exchange *x)
{
        return x->estate_bytes;
}

bool exchange_has_estates(const struct exchange *x)
{
        for (int32_t n = 0; n < x->nnode; n++)
                if (x->node[n].line && !x->node[n].has_sent && !x->node[n].left)
                        return false;
        return true;
}

static bool take_news(struct exchange *x, struct line *line, struct news *news)
{
        *news = line->part.is.news;
        news->node = line->node;
        if (x->frames)
                frames_take(x->frames, news);
        news->what[sizeof(news->what) - 1] = '\0';
        if (news->kind == NEWS_LEAVES)
                x->node[line->node].left = x->node[line->node].answered = true;
        if (news->kind == NEWS_BEAT && news->value == 1)
                x->node[line->node].answered = true;
        if (news->kind == NEWS_ESTATE)
                begin_estate(x, line, news);
        return (news->kind > NEWS_NONE && news->kind < NEWS_BEAT) || news->kind == NEWS_KEEPER;
}

static bool read_any(struct exchange *x, struct line *line, struct news *news)
{
        if (line->estate.kind == NEWS_ESTATE)
                return read_estate(x, line, news);
        return read_line(x, line) && take_news(x, line, news);
}

bool exchange_receive(struct exchange *x, struct news *news)
{
        struct epoll_event event;
        while (epoll_wait(x->epoll, &event, 1, 0) == 1) {
                struct line *line = event.data.ptr;
                if (!line)
                        take_caller(x);
                else if (read_any(x, line, news))
                        return true;
        }
        return false;
}

void exchange_view(struct exchange *x, struct frames *frames)
{
        x->frames = frames;
}

int32_t exchange_signal(struct exchange *x, int signal)
{
        int32_t count = 0, value = signal;
        for (int32_t n = 0; n < x->nnode; n++)
                if (x->node[n].line)
                        count += contact_write(x->node[n].line->fd, &value, sizeof(value));
        return count;
}

/* ---- Lost nodes ---- */

int64_t exchange_due_ns(const struct exchange *x, int64_t now)
{
        if (x->node_s <= 0)
                return 0;
        for (int32_t n = 0; n < x->nnode; n++)
                if (x->node[n].known && !x->node[n].lost && !x->node[n].left)
                        return (now / second_ns + 1) * second_ns;
        return 0;
}

static void count_time(struct exchange *x, int64_t now)
{
        int64_t passed = x->at_ns ? now - x->at_ns : 0;
        x->at_ns = now;
        passed = passed < 2 * second_ns ? passed : 2 * second_ns;
        for (int32_t n = 0; n < x->nnode; n++)
                x->node[n].silent_ns += passed;
}

/* Since the node's kernel last said that it has what was sent. */
static double heard_s(const struct line *line)
{
        struct tcp_info info;
        socklen_t size = sizeof(info);
        if (!line || getsockopt(line->fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0)
                return INFINITY;
        return info.tcpi_last_ack_recv * 1e-3;
}

static bool is_watched(const struct exchange *x, const struct node *node)
{
        return x->node_s > 0 && node->known && !node->lost && !node->left;
}

static double silent_s(const struct node *node)
{
        return (double)node->silent_ns * 1e-9;
}

/* Of two that were heard last at about the same time, a machine that is gone is told from one that
 * answers by half of the limit, or some of the questions that are a second apart. */
static bool answers(const struct exchange *x, const struct node *node)
{
        static const double least_s = 2.5;
        return heard_s(node->line) < fmax(least_s, x->node_s / 2);
}

static bool is_lost(const struct exchange *x, const struct node *node, int64_t now)
{
        enum { RETURN_S = 3 };
        if (node->broke_ns && now - node->broke_ns > RETURN_S * second_ns)
                return true;
        if (silent_s(node) <= x->node_s)
                return false;
        return !answers(x, node) || (x->hung_s > 0 && silent_s(node) > x->hung_s);
}

bool exchange_lost(struct exchange *x, int64_t now, int32_t *at, char *text, size_t size)
{
        count_time(x, now);
        for (int32_t n = 0; n < x->nnode; n++) {
                struct node *node = &x->node[n];
                if (!is_watched(x, node) || !is_lost(x, node, now))
                        continue;
                node->lost = true;
                *at = n;
                if (node->broke_ns)
                        snprintf(text, size, "is gone: its connection has broken");
                else
                        snprintf(text, size, "has not answered for %.0f s: it is %s",
                                 silent_s(node), answers(x, node) ? "hung" : "down, or cut off");
                return true;
        }
        return false;
}

bool exchange_still(struct exchange *x, int32_t *at, char *text, size_t size)
{
        for (int32_t n = 0; n < x->nnode; n++) {
                struct node *node = &x->node[n];
                bool still = node->line && silent_s(node) > x->node_s;
                if (!is_watched(x, node) || still == node->still)
                        continue;
                node->still = still;
                *at = n;
                if (still)
                        snprintf(
                            text, size,
                            "has been silent for %.0f s, and its kernel answers: its processes are "
                            "stopped, or wait for processors; the job goes on%s",
                            silent_s(node), x->hung_s > 0 ? "" : " (--hung-s S would end it)");
                else
                        snprintf(text, size, "does answer again");
                return true;
        }
        return false;
}

int32_t exchange_broken(const struct exchange *x, int64_t until_ns)
{
        for (int32_t n = 0; n < x->nnode; n++)
                if (x->node[n].broke_ns && x->node[n].broke_ns <= until_ns && !x->node[n].left)
                        return n;
        return -1;
}

void exchange_ask(struct exchange *x)
{
        const int32_t ask = CONTACT_ASK;
        for (int32_t n = 0; n < x->nnode; n++) {
                struct node *node = &x->node[n];
                node->spoke = node->answered = !node->known || node->left;
                if (node->line && !node->left)
                        contact_write(node->line->fd, &ask, sizeof(ask));
        }
}

bool exchange_answered(const struct exchange *x)
{
        for (int32_t n = 0; n < x->nnode; n++)
                if (!x->node[n].answered)
                        return false;
        return true;
}

int32_t exchange_silent(const struct exchange *x)
{
        for (int32_t n = 0; n < x->nnode; n++)
                if (!x->node[n].spoke)
                        return n;
        return -1;
}
