/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What keepers tell lbrun, by datagrams, and the posts of other nodes, by TCP; and what lbrun makes
 * of it: who lives, who failed, the view. Three bytes say what comes next, so many of any bytes: 0
 * from a keeper, 1 and 2 from a node, 3 a new connection of a node, which those follow.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "real/control/job.h"
#include "real/launch/blame.h"
#include "real/launch/contact.h"
#include "real/launch/exchange.h"
#include "real/launch/plan.h"
#include "real/launch/roster.h"
#include "real/launch/view/frame.h"

enum { NODES = 2, RECORDS_MAX = 64, CORES = 4 };

struct listener {
        struct plan plan;
        struct roster *roster;
        struct blame blame;
        struct exchange *exchange;
        struct frames *frames;
        int news, keeper, node[NODES]; /* descriptors */
        int64_t now_ns;
};

static struct job *make_job(struct lb_error *err)
{
        static const int32_t first[] = { 0, 2, 4 }, node[] = { 0, 1, 1, 0 };
        struct job *job = job_create(err);
        if (!job || job_set_system(job, "local", err) < 0)
                abort();
        job->nnode = job->napprank = NODES;
        job->cores_per_node = CORES;
        snprintf(job->id, sizeof(job->id), "fuzz-%d", (int)getpid());
        if (job_set_edges(job, first, node, err) < 0)
                abort();
        return job;
}

static void open_all(struct listener *l)
{
        static char *host[NODES] = { "n1", "n2" };
        struct lb_error err;
        l->plan.job = make_job(&err);
        l->plan.nodes.nnode = NODES;
        l->plan.nodes.name = host;
        l->roster = roster_create(&l->plan, &err);
        l->exchange = exchange_open(l->plan.job, &err);
        l->frames = frames_create(l->plan.job, &err);
        l->news = news_open(l->plan.job->id, &err);
        l->keeper = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (!l->roster || !l->exchange || !l->frames || l->news < 0 || l->keeper < 0)
                abort();
        exchange_view(l->exchange, l->frames);
        blame_init(&l->blame, &l->plan);
        for (int n = 0; n < NODES; n++)
                l->node[n] = -1;
}

static void close_all(struct listener *l)
{
        for (int n = 0; n < NODES; n++)
                if (l->node[n] >= 0)
                        close(l->node[n]);
        close(l->keeper);
        close(l->news);
        exchange_close(l->exchange);
        roster_destroy(l->roster);
        frames_destroy(l->frames);
        job_destroy(l->plan.job);
}

/* As real/launch/watch.c does. */
static void take(struct listener *l, const struct news *news)
{
        char rank[256];
        if (news->kind == NEWS_ENDED || news->kind == NEWS_ENDS || news->kind == NEWS_STARTER ||
            news->kind == NEWS_KEEPER)
                (void)blame_take(&l->blame, news, l->now_ns);
        else
                plan_describe_rank(&l->plan, news->rank, rank, sizeof(rank));
}

static void listen_to_all(struct listener *l)
{
        struct news news;
        char text[256];
        int32_t node;
        int passed;
        roster_look(l->roster);
        while (news_receive(l->news, &news, &passed) || exchange_receive(l->exchange, &news)) {
                if (memchr(news.what, '\0', sizeof(news.what)) == NULL)
                        abort();
                if (roster_take(l->roster, &news))
                        take(l, &news);
        }
        while (roster_lost(l->roster, &news))
                take(l, &news);
        while (exchange_lost(l->exchange, l->now_ns, &node, text, sizeof(text)))
                (void)blame_node(&l->blame, node, text, l->now_ns);
        (void)roster_overdue(l->roster, l->now_ns, text, sizeof(text));
        for (node = 0; node < NODES; node++)
                for (int32_t i = 0; i < CORES; i++)
                        (void)frames_core(l->frames, node, i);
        l->now_ns += 400000000;
}

static void tell(struct listener *l, const uint8_t *record, size_t bytes)
{
        struct sockaddr_un name = { .sun_family = AF_UNIX };
        int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "lbrun-%ju-%s",
                              (uintmax_t)geteuid(), l->plan.job->id);
        int node = record[1] % NODES;
        if (record[0] % 4 == 0) {
                (void)sendto(
                    l->keeper, record + 3, bytes, MSG_DONTWAIT, (struct sockaddr *)&name,
                    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
                return;
        }
        if (record[0] % 4 == 3) {
                if (l->node[node] >= 0)
                        close(l->node[node]);
                l->node[node] = contact_connect(l->plan.job->contact, record[1] / NODES % 4);
        }
        if (l->node[node] >= 0 && bytes > 0)
                (void)send(l->node[node], record + 3, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* What is said of ranks is not looked at: only libFuzzer's own words, which have their own way. */
static void be_quiet(void)
{
        static FILE *nowhere;
        if (!nowhere)
                nowhere = fopen("/dev/null", "we");
        if (nowhere)
                stderr = nowhere;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct listener *l = calloc(1, sizeof(*l));
        FILE *own = stderr;
        if (!l)
                return 0;
        open_all(l);
        be_quiet();
        const uint8_t *at = data, *end = data + size;
        for (int i = 0; i < RECORDS_MAX && end - at >= 3; i++) {
                size_t bytes = at[2], rest = (size_t)(end - at) - 3;
                bytes = bytes < rest ? bytes : rest;
                tell(l, at, bytes);
                listen_to_all(l);
                at += 3 + bytes;
        }
        blame_settle(&l->blame, 0);
        (void)blame_code(&l->blame, 0);
        stderr = own;
        close_all(l);
        free(l);
        return 0;
}
