/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graphs/graph.h"

/*
 * Making graphs: each apprank's helpers are dealt from a heap of places on nodes, as many of a node
 * as it still needs, so the degrees are right from the start; what is dealt twice to an apprank, or
 * is its home, is then repaired by swapping places between appranks, which keeps the degrees.
 *
 * A dense graph (more helpers than half the other nodes) is made as the complement of a sparse one:
 * repair would rarely find a partner.
 */
struct draft {
        int32_t napprank, nnode;
        int32_t nhelper; /* places per apprank */
        int32_t *room;   /* [nnode] places each node needs */
        int32_t *place;  /* [napprank][nhelper] the node of each place */
        bool *bad;       /* [napprank][nhelper] the place is a duplicate or the home node */
        int32_t *stamp;  /* [nnode] of the apprank (from 1) that has it; 0: none */
        struct lb_random random;
};

enum { ATTEMPTS_MAX = 1000, PROBES = 64, NO_NODE = -1, LOTS_NODE_MAX = 4096 };

static size_t draft_nplace(const struct draft *draft)
{
        return (size_t)draft->napprank * (size_t)draft->nhelper;
}

/* Is it the apprank's home, or a good place of it? */
static bool is_taken(const struct draft *draft, int32_t apprank, int32_t node)
{
        size_t first = (size_t)apprank * (size_t)draft->nhelper;
        const int32_t *place = &draft->place[first];
        const bool *bad = &draft->bad[first];
        bool taken = graph_home(apprank, draft->napprank, draft->nnode) == node;
        for (int32_t i = 0; i < draft->nhelper; i++)
                taken |= place[i] == node && !bad[i];
        return taken;
}

static void draft_finish(struct draft *draft)
{
        free(draft->room);
        free(draft->place);
        free(draft->bad);
        free(draft->stamp);
}

static int draft_init(struct draft *draft, const struct graph_spec *spec, int32_t nhelper,
                      struct lb_error *err)
{
        *draft =
            (struct draft){ .napprank = spec->napprank, .nnode = spec->nnode, .nhelper = nhelper };
        lb_random_init(&draft->random, spec->seed, LB_RANDOM_GRAPH, (uint64_t)spec->method);
        size_t nplace = draft_nplace(draft) + 1; /* never an allocation of nothing */
        draft->room = calloc((size_t)spec->nnode, sizeof(*draft->room));
        draft->place = calloc(nplace, sizeof(*draft->place));
        draft->bad = calloc(nplace, sizeof(*draft->bad));
        draft->stamp = calloc((size_t)spec->nnode, sizeof(*draft->stamp));
        if (draft->room && draft->place && draft->bad && draft->stamp)
                return 0;
        draft_finish(draft);
        return lb_error_fail(err, "out of memory for a graph of %d appranks on %d nodes",
                             spec->napprank, spec->nnode);
}

/*
 * Places each node needs for `degree` nodes per apprank: napprank * degree / nnode, rounded down or
 * up where it is not whole, less those of its own appranks; or what the complement needs.
 */
static void set_room(struct draft *draft, int32_t degree, bool complement)
{
        int64_t total = (int64_t)draft->napprank * degree;
        int64_t extra = total % draft->nnode;
        for (int64_t n = 0; n < draft->nnode; n++) {
                bool more = (n + 1) * extra / draft->nnode != n * extra / draft->nnode;
                draft->room[n] = (int32_t)(total / draft->nnode) + more;
                if (complement)
                        draft->room[n] = draft->napprank - draft->room[n];
        }
        for (int32_t a = 0; a < draft->napprank && !complement; a++)
                draft->room[graph_home(a, draft->napprank, draft->nnode)]--;
}

/* All nodes' places in a row, in `place`. */
static void deal_in_order(struct draft *draft)
{
        size_t at = 0;
        for (int32_t n = 0; n < draft->nnode; n++)
                for (int32_t i = 0; i < draft->room[n]; i++)
                        draft->place[at++] = n;
}

/* GRAPH_METHOD_RANDOM: the configuration model, a random permutation of the nodes' places. */
static void deal_random(struct draft *draft)
{
        deal_in_order(draft);
        for (size_t i = draft_nplace(draft); i > 1; i--) {
                size_t j = (size_t)lb_random_below(&draft->random, i);
                int32_t swap = draft->place[i - 1];
                draft->place[i - 1] = draft->place[j];
                draft->place[j] = swap;
        }
}

struct candidate {
        int32_t room;
        uint32_t lot;
        int32_t node;
};

static bool comes_before(struct candidate a, struct candidate b)
{
        if (a.room != b.room)
                return a.room > b.room;
        return a.lot != b.lot ? a.lot < b.lot : a.node < b.node;
}

/* Move the `count` candidates that come first to the front, in any order (quickselect). */
static void select_first(struct candidate *candidate, int32_t ncandidate, int32_t count)
{
        int32_t low = 0, high = ncandidate - 1;
        while (low < high && count > low && count <= high) {
                struct candidate pivot = candidate[low + (high - low) / 2];
                int32_t i = low, j = high;
                while (i <= j) {
                        while (comes_before(candidate[i], pivot))
                                i++;
                        while (comes_before(pivot, candidate[j]))
                                j--;
                        if (i > j)
                                break;
                        struct candidate swap = candidate[i];
                        candidate[i++] = candidate[j];
                        candidate[j--] = swap;
                }
                if (count <= j)
                        high = j;
                else if (count >= i)
                        low = i;
                else
                        return;
        }
}

/* Give one apprank the nodes with most room, ties by lot; NO_NODE where none is left. */
static void deal_most_room(struct draft *draft, int32_t apprank, int32_t *left,
                           struct candidate *candidate)
{
        int32_t home = graph_home(apprank, draft->napprank, draft->nnode);
        int32_t ncandidate = 0;
        for (int32_t n = 0; n < draft->nnode; n++)
                if (n != home && left[n] > 0)
                        candidate[ncandidate++] =
                            (struct candidate){ left[n], (uint32_t)lb_random_next(&draft->random),
                                                n };
        select_first(candidate, ncandidate, draft->nhelper);
        for (int32_t i = 0; i < draft->nhelper; i++) {
                int32_t node = i < ncandidate ? candidate[i].node : NO_NODE;
                draft->place[(size_t)apprank * (size_t)draft->nhelper + (size_t)i] = node;
                if (node != NO_NODE)
                        left[node]--;
        }
}

/*
 * The same on many nodes, where to draw a lot for each of them, for each apprank, takes too long:
 * nodes lie in order of their room, and of those with most one is drawn. The distribution is the
 * same; the draws, and so the graph of a seed, are not.
 */
struct shelf {
        const struct draft *draft;
        int32_t *left;        /* [nnode] room */
        int32_t *order, *at;  /* [nnode] nodes by room, ascending, and where each is */
        int32_t *first;       /* [top + 2] where those with so much room begin */
        int32_t *barred, top; /* [top + 1] of those with so much room, not for this apprank */
};

static void shelf_finish(struct shelf *shelf)
{
        free(shelf->order);
        free(shelf->at);
        free(shelf->first);
        free(shelf->barred);
}

static int shelf_init(struct shelf *shelf, const struct draft *draft, int32_t *left,
                      struct lb_error *err)
{
        int32_t top = 0;
        for (int32_t n = 0; n < draft->nnode; n++)
                top = left[n] > top ? left[n] : top;
        *shelf = (struct shelf){ .draft = draft, .left = left, .top = top };
        shelf->order = malloc((size_t)draft->nnode * sizeof(int32_t));
        shelf->at = malloc((size_t)draft->nnode * sizeof(int32_t));
        shelf->first = calloc((size_t)top + 3, sizeof(int32_t));
        shelf->barred = calloc((size_t)top + 1, sizeof(int32_t));
        if (!shelf->order || !shelf->at || !shelf->first || !shelf->barred) {
                shelf_finish(shelf);
                return lb_error_fail(err, "out of memory for a graph of %d nodes", draft->nnode);
        }
        for (int32_t n = 0; n < draft->nnode; n++)
                shelf->first[left[n] + 2]++;
        for (int32_t room = 1; room <= top; room++)
                shelf->first[room + 2] += shelf->first[room + 1];
        for (int32_t n = 0; n < draft->nnode; n++) {
                shelf->at[n] = shelf->first[left[n] + 1]++;
                shelf->order[shelf->at[n]] = n;
        }
        return 0;
}

/* The node has one place less. */
static void shelf_take(struct shelf *shelf, int32_t node)
{
        int32_t to = shelf->first[shelf->left[node]]++, from = shelf->at[node];
        int32_t other = shelf->order[to];
        shelf->order[from] = other;
        shelf->at[other] = from;
        shelf->order[to] = node;
        shelf->at[node] = to;
        shelf->left[node]--;
}

/* One of the nodes with most room that the apprank does not have; NO_NODE where none is left. */
static int32_t shelf_draw(struct shelf *shelf, int32_t apprank, struct lb_random *random)
{
        for (int32_t room = shelf->top; room > 0; room--) {
                int32_t first = shelf->first[room], count = shelf->first[room + 1] - first;
                while (count > shelf->barred[room]) {
                        int32_t i = (int32_t)lb_random_below(random, (uint64_t)count);
                        int32_t node = shelf->order[first + i];
                        if (shelf->draft->stamp[node] != apprank + 1)
                                return node;
                }
        }
        return NO_NODE;
}

static void bar(struct shelf *shelf, int32_t node, int32_t apprank)
{
        shelf->draft->stamp[node] = apprank + 1;
        shelf->barred[shelf->left[node]]++;
}

static void deal_from_shelf(struct draft *draft, int32_t apprank, struct shelf *shelf)
{
        int32_t home = graph_home(apprank, draft->napprank, draft->nnode);
        int32_t *place = &draft->place[(size_t)apprank * (size_t)draft->nhelper];
        bar(shelf, home, apprank);
        for (int32_t i = 0; i < draft->nhelper; i++) {
                place[i] = shelf_draw(shelf, apprank, &draft->random);
                if (place[i] == NO_NODE)
                        continue;
                shelf_take(shelf, place[i]);
                bar(shelf, place[i], apprank);
        }
        shelf->barred[shelf->left[home]] = 0;
        for (int32_t i = 0; i < draft->nhelper; i++)
                if (place[i] != NO_NODE)
                        shelf->barred[shelf->left[place[i]]] = 0;
}

static int deal_most_room_of_many(struct draft *draft, int32_t *left, struct lb_error *err)
{
        struct shelf shelf;
        if (shelf_init(&shelf, draft, left, err))
                return -1;
        memset(draft->stamp, 0, (size_t)draft->nnode * sizeof(*draft->stamp));
        for (int32_t a = 0; a < draft->napprank; a++)
                deal_from_shelf(draft, a, &shelf);
        shelf_finish(&shelf);
        return 0;
}

static int deal_most_room_of_few(struct draft *draft, int32_t *left, struct lb_error *err)
{
        struct candidate *candidate = malloc((size_t)draft->nnode * sizeof(*candidate));
        if (!candidate)
                return lb_error_fail(err, "out of memory for a graph of %d nodes", draft->nnode);
        for (int32_t a = 0; a < draft->napprank; a++)
                deal_most_room(draft, a, left, candidate);
        free(candidate);
        return 0;
}

/* GRAPH_METHOD_GREEDY. What only an apprank's own node had room for is left to the repair. */
static int deal_greedy(struct draft *draft, struct lb_error *err)
{
        size_t nnode = (size_t)draft->nnode;
        int32_t *left = malloc(nnode * sizeof(*left));
        if (!left)
                return lb_error_fail(err, "out of memory for a graph of %d nodes", draft->nnode);
        memcpy(left, draft->room, nnode * sizeof(*left));
        bool many = draft->nnode > LOTS_NODE_MAX;
        if (many ? deal_most_room_of_many(draft, left, err)
                 : deal_most_room_of_few(draft, left, err)) {
                free(left);
                return -1;
        }

        int32_t node = 0;
        for (size_t i = 0; i < draft_nplace(draft); i++) {
                if (draft->place[i] != NO_NODE)
                        continue;
                while (left[node] == 0)
                        node++;
                draft->place[i] = node;
                left[node]--;
        }
        free(left);
        return 0;
}

/* Mark what each apprank has, and the places that repeat it. */
static void mark(struct draft *draft)
{
        memset(draft->stamp, 0, (size_t)draft->nnode * sizeof(*draft->stamp));
        for (int32_t a = 0; a < draft->napprank; a++) {
                draft->stamp[graph_home(a, draft->napprank, draft->nnode)] = a + 1;
                size_t at = (size_t)a * (size_t)draft->nhelper;
                for (int32_t i = 0; i < draft->nhelper; i++, at++) {
                        draft->bad[at] = draft->stamp[draft->place[at]] == a + 1;
                        draft->stamp[draft->place[at]] = a + 1;
                }
        }
}

/* Exchange the nodes of places i (bad) and j if both are good afterwards. */
static bool try_swap(struct draft *draft, size_t i, size_t j)
{
        int32_t a = (int32_t)(i / (size_t)draft->nhelper);
        int32_t b = (int32_t)(j / (size_t)draft->nhelper);
        int32_t m = draft->place[i], n = draft->place[j];
        if (a == b || is_taken(draft, a, n) || is_taken(draft, b, m))
                return false;
        draft->place[i] = n;
        draft->place[j] = m;
        draft->bad[i] = draft->bad[j] = false;
        return true;
}

/* Find a partner for a bad place: at random, then, as few are left, in order. */
static bool repair_place(struct draft *draft, size_t i)
{
        size_t nplace = draft_nplace(draft);
        size_t j = 0;
        for (int probe = 0; probe < PROBES; probe++) {
                j = (size_t)lb_random_below(&draft->random, nplace);
                if (try_swap(draft, i, j))
                        return true;
        }
        for (size_t tried = 0; tried < nplace; tried++)
                if (try_swap(draft, i, (j + tried) % nplace))
                        return true;
        return false;
}

/* Make every place good; false where a bad one has no partner. */
static bool repair(struct draft *draft)
{
        mark(draft);
        for (size_t i = 0; i < draft_nplace(draft); i++)
                if (draft->bad[i] && !repair_place(draft, i))
                        return false;
        return true;
}

/* Deal and repair until it comes out even. */
static int deal(struct draft *draft, enum graph_method method, struct lb_error *err)
{
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
                if (method == GRAPH_METHOD_RANDOM)
                        deal_random(draft);
                else if (deal_greedy(draft, err))
                        return -1;
                if (repair(draft))
                        return 0;
        }
        return lb_error_fail(err, "no graph of %d appranks on %d nodes found in %d attempts",
                             draft->napprank, draft->nnode, ATTEMPTS_MAX);
}

/* Apprank i of every node takes the first offsets from its home node. */
static void place_offsets(struct draft *draft, int32_t i, const struct candidate *offset)
{
        int32_t per_node = draft->napprank / draft->nnode;
        for (int32_t n = 0; n < draft->nnode; n++) {
                size_t apprank = (size_t)n * (size_t)per_node + (size_t)i;
                int32_t *place = &draft->place[apprank * (size_t)draft->nhelper];
                for (int32_t j = 0; j < draft->nhelper; j++)
                        place[j] = (n + offset[j].node) % draft->nnode;
        }
}

/*
 * GRAPH_METHOD_CIRCULANT: apprank i of every node has the same offsets from its home node, so every
 * node has the same degree. The first apprank's first offset is 1, which connects the graph; the
 * others are drawn among the offsets used least so far.
 */
static int deal_circulant(struct draft *draft, struct lb_error *err)
{
        int32_t per_node = draft->napprank / draft->nnode;
        int32_t *uses = calloc((size_t)draft->nnode, sizeof(*uses)); /* of each offset */
        struct candidate *candidate = malloc((size_t)draft->nnode * sizeof(*candidate));
        if (!uses || !candidate) {
                free(uses);
                free(candidate);
                return lb_error_fail(err, "out of memory for a graph of %d nodes", draft->nnode);
        }
        for (int32_t i = 0; i < per_node; i++) {
                for (int32_t offset = 1; offset < draft->nnode; offset++)
                        candidate[offset - 1] =
                            (struct candidate){ -uses[offset],
                                                (uint32_t)lb_random_next(&draft->random), offset };
                if (i == 0 && draft->nnode > 1)
                        candidate[0].room = 1;
                select_first(candidate, draft->nnode - 1, draft->nhelper);
                for (int32_t j = 0; j < draft->nhelper; j++)
                        uses[candidate[j].node]++;
                place_offsets(draft, i, candidate);
        }
        free(uses);
        free(candidate);
        mark(draft);
        return 0;
}

static int ascending(const void *a, const void *b)
{
        int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
        return (x > y) - (x < y);
}

/* An apprank's nodes: home, and the others in their order, which are its places or all else. */
static int32_t list_nodes(struct draft *draft, int32_t apprank, bool complement, int32_t *node)
{
        int32_t home = graph_home(apprank, draft->napprank, draft->nnode), count = 0;
        const int32_t *place = &draft->place[(size_t)apprank * (size_t)draft->nhelper];
        node[count++] = home;
        if (!complement) {
                memcpy(&node[count], place, (size_t)draft->nhelper * sizeof(*node));
                qsort(&node[count], (size_t)draft->nhelper, sizeof(*node), ascending);
                return count + draft->nhelper;
        }
        draft->stamp[home] = apprank + 1;
        for (int32_t i = 0; i < draft->nhelper; i++)
                draft->stamp[place[i]] = apprank + 1;
        for (int32_t n = 0; n < draft->nnode; n++)
                if (draft->stamp[n] != apprank + 1)
                        node[count++] = n;
        return count;
}

static struct graph *draft_graph(struct draft *draft, int32_t degree, bool complement,
                                 struct lb_error *err)
{
        size_t napprank = (size_t)draft->napprank;
        int32_t *first = calloc(napprank + 1, sizeof(*first));
        int32_t *node = malloc(napprank * (size_t)degree * sizeof(*node));
        struct graph *graph = NULL;
        if (!first || !node) {
                lb_error_fail(err, "out of memory for a graph of %d appranks", draft->napprank);
                goto done;
        }
        memset(draft->stamp, 0, (size_t)draft->nnode * sizeof(*draft->stamp));
        for (int32_t a = 0; a < draft->napprank; a++)
                first[a + 1] = first[a] + list_nodes(draft, a, complement, &node[first[a]]);
        graph = graph_from_edges(draft->napprank, draft->nnode, first, node, err);
done:
        free(first);
        free(node);
        return graph;
}

struct graph *graph_create(const struct graph_spec *spec, struct lb_error *err)
{
        if (graph_check_spec(spec, err))
                return NULL;
        if (spec->method == GRAPH_METHOD_BEST || spec->method == GRAPH_METHOD_CATALOGUE) {
                lb_error_fail(err, "method %s is not at hand here",
                              graph_method_name(spec->method));
                return NULL;
        }
        bool circulant = spec->method == GRAPH_METHOD_CIRCULANT;
        bool complement = !circulant && 2 * spec->degree > spec->nnode + 1;
        int32_t nhelper = complement ? spec->nnode - spec->degree : spec->degree - 1;
        struct draft draft;
        if (draft_init(&draft, spec, nhelper, err))
                return NULL;

        set_room(&draft, spec->degree, complement);
        struct graph *graph = NULL;
        int failed = nhelper == 0 ? (mark(&draft), 0)
                     : circulant  ? deal_circulant(&draft, err)
                                  : deal(&draft, spec->method, err);
        if (!failed)
                graph = draft_graph(&draft, spec->degree, complement, err);
        draft_finish(&draft);
        return graph;
}
