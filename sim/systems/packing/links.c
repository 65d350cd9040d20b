/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between nodes, all of an iteration at once. Those that are under way on a link share it
 * evenly, as packets of all processes do, in place of one whole message after the other in the
 * order of ranks, which would have the first ranks served before all others:
 *
 *    bandwidth of a message = min(out of source / messages leaving it, in of target / arriving)
 *
 * What a message cannot take since its other end is the narrower one is left unused.
 *
 * Messages of one pair of nodes have the same bandwidth at any time. So a pair counts the bytes
 * that each message on it would have had from the start (its service), and a message is through
 * where that has grown by its size since it left.
 *
 * Known value: two messages of 1 MB that leave a node together for two others at 1 GB/s are both
 * there after 2 ms; a third one that leaves 1 ms later takes 3 ms (tests/sim/systems/packing/
 * test_links.c).
 */
#include <math.h>
#include <stdlib.h>

#include "sim/systems/packing/links.h"

static const double LONGEST_NS = 1e18;

enum { NONE = -1 };

/* Messages from one node to another; those under way are a list, the next to be through first. */
struct pair {
        int32_t source, target, count;
        int64_t first;
        double service; /* bytes */
};

struct links {
        const struct network *network;
        int64_t nmessage;
        int32_t npair, room;
        struct pair *pair;         /* [npair] */
        int32_t *pair_of;          /* [nmessage], NONE within a node */
        int64_t *next;             /* [nmessage] in the list of its pair */
        double *through;           /* [nmessage] service of the pair when it is through, bytes */
        int32_t *leaving, *coming; /* [nnode] messages under way */
        int64_t *there_ns;         /* [nmessage] */
};

/* ---- Life cycle ---- */

void links_destroy(struct links *l)
{
        if (!l)
                return;
        free(l->pair);
        free(l->pair_of);
        free(l->next);
        free(l->through);
        free(l->leaving);
        free(l->coming);
        free(l->there_ns);
        free(l);
}

struct links *links_create(const struct network *network, int64_t nmessage)
{
        struct links *l = calloc(1, sizeof(*l));
        if (!l)
                return NULL;
        size_t n = (size_t)nmessage + 1, nnode = (size_t)network->nnode;
        *l = (struct links){ .network = network, .nmessage = nmessage };
        l->pair_of = malloc(n * sizeof(*l->pair_of));
        l->next = malloc(n * sizeof(*l->next));
        l->through = malloc(n * sizeof(*l->through));
        l->there_ns = calloc(n, sizeof(*l->there_ns));
        l->leaving = calloc(nnode, sizeof(*l->leaving));
        l->coming = calloc(nnode, sizeof(*l->coming));
        if (l->pair_of && l->next && l->through && l->there_ns && l->leaving && l->coming)
                return l;
        links_destroy(l);
        return NULL;
}

static int32_t find_pair(const struct links *l, int32_t source, int32_t target)
{
        for (int32_t i = l->npair - 1; i >= 0 && l->pair[i].source == source; i--)
                if (l->pair[i].target == target)
                        return i;
        return NONE;
}

static int32_t add_pair(struct links *l, int32_t source, int32_t target)
{
        if (l->npair == l->room) {
                int32_t room = l->room > 0 ? 2 * l->room : 64;
                struct pair *pair = realloc(l->pair, (size_t)room * sizeof(*pair));
                if (!pair)
                        return NONE;
                l->pair = pair;
                l->room = room;
        }
        l->pair[l->npair] = (struct pair){ .source = source, .target = target, .first = NONE };
        return l->npair++;
}

int links_add(struct links *l, int64_t message, int32_t source, int32_t target)
{
        l->pair_of[message] = NONE;
        if (network_within(l->network, source, target))
                return 0;
        source = l->network->nic[source];
        target = l->network->nic[target];
        int32_t i = find_pair(l, source, target);
        if (i == NONE)
                i = add_pair(l, source, target);
        l->pair_of[message] = i;
        return i == NONE ? -1 : 0;
}

bool links_within(const struct links *l, int64_t message)
{
        return l->pair_of[message] == NONE;
}

/* ---- Sending ---- */

/* Bytes per ns of each message of a pair. */
static double rate_of(const struct links *l, const struct pair *pair)
{
        const struct network *network = l->network;
        double out = network->link[pair->source], in = network->link[pair->target];
        if (network->contention) {
                out /= l->leaving[pair->source];
                in /= l->coming[pair->target];
        }
        return fmin(out, in) / network->ns_per_byte;
}

/* The pair whose next message is through first, no later than *end_ns, which becomes that time. */
static int32_t first_through(const struct links *l, double now_ns, double *end_ns)
{
        int32_t first = NONE;
        for (int32_t i = 0; i < l->npair; i++) {
                const struct pair *pair = &l->pair[i];
                if (pair->count == 0)
                        continue;
                double left = fmax(l->through[pair->first] - pair->service, 0);
                double through_ns = now_ns + left / rate_of(l, pair);
                if (through_ns > *end_ns || (first != NONE && through_ns == *end_ns))
                        continue;
                *end_ns = through_ns;
                first = i;
        }
        return first;
}

static void serve(struct links *l, double time_ns)
{
        for (int32_t i = 0; i < l->npair; i++)
                if (l->pair[i].count > 0)
                        l->pair[i].service += time_ns * rate_of(l, &l->pair[i]);
}

static void count(struct links *l, struct pair *pair, int32_t more)
{
        pair->count += more;
        l->leaving[pair->source] += more;
        l->coming[pair->target] += more;
}

static void leave(struct links *l, const struct links_message *message)
{
        struct pair *pair = &l->pair[l->pair_of[message->message]];
        if (pair->count == 0)
                pair->service = 0;
        double through = pair->service + (double)message->bytes;
        l->through[message->message] = through;
        int64_t *place = &pair->first;
        while (*place != NONE && l->through[*place] <= through)
                place = &l->next[*place];
        l->next[message->message] = *place;
        *place = message->message;
        count(l, pair, 1);
}

static void arrive(struct links *l, struct pair *pair, double now_ns)
{
        int64_t message = pair->first;
        double there_ns = now_ns + (double)l->network->latency_ns;
        l->there_ns[message] = llround(fmin(there_ns, LONGEST_NS));
        pair->service = l->through[message];
        pair->first = l->next[message];
        count(l, pair, -1);
}

const int64_t *links_send(struct links *l, const struct links_message *message, int64_t nmessage)
{
        double now_ns = 0;
        int64_t left = 0;
        for (int64_t under_way = 0; left < nmessage || under_way > 0;) {
                if (left < nmessage && l->pair_of[message[left].message] == NONE) {
                        l->there_ns[message[left].message] = message[left].time_ns;
                        left++;
                        continue;
                }
                double end_ns = left < nmessage ? (double)message[left].time_ns : INFINITY;
                int32_t through = first_through(l, now_ns, &end_ns);
                serve(l, end_ns - now_ns);
                now_ns = end_ns;
                if (through == NONE)
                        leave(l, &message[left++]);
                else
                        arrive(l, &l->pair[through], now_ns);
                under_way += through == NONE ? 1 : -1;
        }
        return l->there_ns;
}
