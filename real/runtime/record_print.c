/* SPDX-License-Identifier: BSD-3-Clause */
/* One iteration's tasks of one apprank as lines. */
#include <inttypes.h>
#include <stdlib.h>

#include "real/runtime/record.h"

/* What each node comes after, in a row, and the number that it gets. */
struct sorted {
        int32_t *first;  /* [nnode + 2] places in after[] of node 1, 2, ... */
        int32_t *after;  /* [nedge] nodes */
        int32_t *number; /* [nnode + 1] from 1; 0: not printed so far */
        int32_t *stack;  /* [nnode] nodes that wait for others to be printed */
        int32_t *next;   /* [nnode + 1] place in after[] of the next that it has to wait for */
};

static bool allocate(struct sorted *s, const struct record_graph *g)
{
        size_t nnode = (size_t)g->nnode + 2;
        s->first = calloc(nnode, sizeof(*s->first));
        s->after = calloc((size_t)g->nedge + 1, sizeof(*s->after));
        s->number = calloc(nnode, sizeof(*s->number));
        s->stack = calloc(nnode, sizeof(*s->stack));
        s->next = calloc(nnode, sizeof(*s->next));
        return s->first && s->after && s->number && s->stack && s->next;
}

static void release(struct sorted *s)
{
        free(s->first);
        free(s->after);
        free(s->number);
        free(s->stack);
        free(s->next);
}

static void sort(struct sorted *s, const struct record_graph *g)
{
        for (int32_t e = 0; e < g->nedge; e++)
                s->first[g->edge[e].node + 1]++;
        for (int32_t n = 1; n <= g->nnode; n++)
                s->first[n + 1] += s->first[n];
        for (int32_t n = 1; n <= g->nnode; n++)
                s->next[n] = s->first[n];
        for (int32_t e = 0; e < g->nedge; e++) {
                int32_t after = g->edge[e].after;
                s->after[s->next[g->edge[e].node]++] = after < 0 ? g->node[-after - 1].end : after;
        }
        for (int32_t n = 1; n <= g->nnode; n++)
                s->next[n] = s->first[n];
}

static void print_node(const struct sorted *s, const struct record_graph *g, int32_t node,
                       FILE *out)
{
        enum { A_SECOND = 1000000000 };
        const struct record_node *n = &g->node[node - 1];
        fprintf(out, "%" PRId64 ".%09" PRId64 ",%" PRId64 ",%d,%" PRId32 ",", n->ns / A_SECOND,
                n->ns % A_SECOND, n->bytes, n->stays, n->priority);
        if (n->within > 0)
                fprintf(out, "%" PRId32, s->number[n->within] - 1);
        fputc(',', out);
        for (int32_t i = s->first[node]; i < s->first[node + 1]; i++)
                fprintf(out, "%s%" PRId32, i > s->first[node] ? " " : "",
                        s->number[s->after[i]] - 1);
        fputc('\n', out);
}

/* The next node that this one waits for, and that is not printed; 0: there is none. */
static int32_t missing(struct sorted *s, int32_t node)
{
        for (; s->next[node] < s->first[node + 1]; s->next[node]++)
                if (s->number[s->after[s->next[node]]] == 0)
                        return s->after[s->next[node]];
        return 0;
}

bool record_print(const struct record_graph *g, int32_t iteration, int32_t apprank, FILE *out)
{
        struct sorted s = { 0 };
        int32_t count = 0;
        bool fine = allocate(&s, g);
        if (fine)
                sort(&s, g);
        for (int32_t n = 1; fine && n <= g->nnode; n++) {
                int32_t depth = 0;
                if (s.number[n] == 0)
                        s.stack[depth++] = n;
                while (depth > 0) {
                        int32_t node = s.stack[depth - 1], other = missing(&s, node);
                        if (other > 0) {
                                s.stack[depth++] = other;
                                continue;
                        }
                        depth--;
                        s.number[node] = ++count;
                        fprintf(out, "%" PRId32 ",%" PRId32 ",", iteration, apprank);
                        print_node(&s, g, node, out);
                }
        }
        release(&s);
        return fine;
}
