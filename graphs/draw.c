/* SPDX-License-Identifier: BSD-3-Clause */
#include "graphs/draw.h"

#include <math.h>

enum { HEAD = 48, MARGIN = 24, AXIS = 52, GAP = 84, FOOT = 56 };

struct canvas {
        FILE *out;
        const struct graph *graph;
        double pitch;           /* from one apprank, or one row of the grid, to the next */
        double grid_x, grid_y;  /* upper left corner of the grid */
        double left_x, right_x; /* appranks and nodes of the bipartite view */
        double width, height;
};

static double pitch_of(int32_t napprank)
{
        return napprank <= 16 ? 28 : napprank <= 32 ? 20 : napprank <= 64 ? 14 : 9;
}

static struct canvas lay_out(FILE *out, const struct graph *graph)
{
        struct canvas canvas = { .out = out, .graph = graph, .pitch = pitch_of(graph->napprank) };
        double side =
            canvas.pitch * graph->napprank; /* of the grid's width and the right view's height */
        double reach = fmin(fmax(220, 0.7 * side), 900);
        canvas.grid_x = MARGIN + AXIS;
        canvas.grid_y = HEAD + AXIS;
        canvas.left_x = canvas.grid_x + fmax(side, 180) + GAP;
        canvas.right_x = canvas.left_x + reach;
        canvas.width = canvas.right_x + AXIS + MARGIN;
        canvas.height = canvas.grid_y + side + FOOT;
        return canvas;
}

/* Label every so many rows, for labels to stay apart; columns need more room. */
static int32_t label_step(double pitch)
{
        return pitch >= 14 ? 1 : pitch >= 8 ? 4 : 8;
}

static int32_t column_step(double pitch)
{
        return pitch >= 18 ? 1 : pitch >= 14 ? 2 : 8;
}

static double apprank_y(const struct canvas *canvas, int32_t apprank)
{
        return canvas->grid_y + canvas->pitch * (apprank + 0.5);
}

static double node_y(const struct canvas *canvas, int32_t node)
{
        double pitch = canvas->pitch * canvas->graph->napprank / canvas->graph->nnode;
        return canvas->grid_y + pitch * (node + 0.5);
}

static void put_text(const struct canvas *canvas, double x, double y, const char *class,
                     const char *text)
{
        fprintf(canvas->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class,
                text);
}

static void put_number(const struct canvas *canvas, double x, double y, const char *class,
                       int32_t number)
{
        char text[16];
        snprintf(text, sizeof(text), "%d", number);
        put_text(canvas, x, y, class, text);
}

static void put_head(const struct canvas *canvas)
{
        const struct graph *graph = canvas->graph;
        fprintf(canvas->out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\">\n"
                "<style>\n"
                "text { font-family: sans-serif; fill: #222 }\n"
                ".title { font-size: 17px; font-weight: bold }\n"
                ".note { font-size: 12px; fill: #555 }\n"
                ".name { font-size: 13px; text-anchor: middle }\n"
                ".number { font-size: 10px; text-anchor: middle }\n"
                ".left { font-size: 10px; text-anchor: end }\n"
                ".right { font-size: 10px; text-anchor: start }\n"
                ".line { stroke: #ddd; stroke-width: 1 }\n"
                ".home { fill: #000; stroke: #000 }\n"
                ".helper { fill: #9a9a9a; stroke: #9a9a9a }\n"
                "line.home { stroke-width: %.1f }\n"
                "line.helper { stroke: #777; stroke-width: %.1f }\n"
                "</style>\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                canvas->width, canvas->height, canvas->width, canvas->height,
                fmin(3, canvas->pitch / 6), fmin(0.9, canvas->pitch / 18));
        fprintf(
            canvas->out,
            "<text x=\"%d\" y=\"34\" class=\"title\">%d appranks on %d nodes, degree %d</text>\n",
            MARGIN, graph->napprank, graph->nnode, graph->degree);
        put_text(canvas, MARGIN, 54, "note", graph->note);
}

static void put_grid_lines(const struct canvas *canvas)
{
        const struct graph *graph = canvas->graph;
        double right = canvas->grid_x + canvas->pitch * graph->napprank;
        double bottom = canvas->grid_y + canvas->pitch * graph->nnode;
        for (int32_t a = 0; a <= graph->napprank; a++) {
                double x = canvas->grid_x + canvas->pitch * a;
                fprintf(canvas->out,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"line\"/>\n",
                        x, canvas->grid_y, x, bottom);
        }
        for (int32_t n = 0; n <= graph->nnode; n++) {
                double y = canvas->grid_y + canvas->pitch * n;
                fprintf(canvas->out,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"line\"/>\n",
                        canvas->grid_x, y, right, y);
        }
}

static void put_grid(const struct canvas *canvas)
{
        const struct graph *graph = canvas->graph;
        double pitch = canvas->pitch;
        double middle_x = canvas->grid_x + pitch * graph->napprank / 2;
        double middle_y = canvas->grid_y + pitch * graph->nnode / 2;
        put_grid_lines(canvas);
        for (int32_t e = 0; e < graph->nedge; e++) {
                int32_t apprank = graph->edge_apprank[e];
                fprintf(
                    canvas->out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n",
                    canvas->grid_x + pitch * apprank + 1.5,
                    canvas->grid_y + pitch * graph->edge_node[e] + 1.5, pitch - 3, pitch - 3,
                    e == graph->apprank_first[apprank] ? "home" : "helper");
        }
        for (int32_t a = 0; a < graph->napprank; a += column_step(pitch))
                put_number(canvas, canvas->grid_x + pitch * (a + 0.5), canvas->grid_y - 6, "number",
                           a);
        for (int32_t n = 0; n < graph->nnode; n += label_step(pitch))
                put_number(canvas, canvas->grid_x - 6, canvas->grid_y + pitch * (n + 0.5) + 4,
                           "left", n);
        put_text(canvas, middle_x, canvas->grid_y - 26, "name", "apprank");
        fprintf(canvas->out,
                "<text class=\"name\" transform=\"translate(%.1f %.1f) rotate(-90)\">node</text>\n",
                canvas->grid_x - 34, middle_y);
}

static void put_edges(const struct canvas *canvas, bool home)
{
        const struct graph *graph = canvas->graph;
        for (int32_t e = 0; e < graph->nedge; e++) {
                int32_t apprank = graph->edge_apprank[e];
                if ((e == graph->apprank_first[apprank]) != home)
                        continue;
                fprintf(canvas->out,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n",
                        canvas->left_x, apprank_y(canvas, apprank), canvas->right_x,
                        node_y(canvas, graph->edge_node[e]), home ? "home" : "helper");
        }
}

static void put_vertex(const struct canvas *canvas, double x, double y, double radius)
{
        fprintf(canvas->out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#fff\" stroke=\"#000\" "
                "stroke-width=\"1.5\"/>\n",
                x, y, radius);
}

static void put_bipartite(const struct canvas *canvas)
{
        const struct graph *graph = canvas->graph;
        double radius = fmin(6, canvas->pitch / 3);
        int32_t step = label_step(canvas->pitch);
        double node_pitch = canvas->pitch * graph->napprank / graph->nnode;
        int32_t node_step = label_step(node_pitch);
        put_edges(canvas, false);
        put_edges(canvas, true);
        for (int32_t a = 0; a < graph->napprank; a++) {
                put_vertex(canvas, canvas->left_x, apprank_y(canvas, a), radius);
                if (a % step == 0)
                        put_number(canvas, canvas->left_x - 12, apprank_y(canvas, a) + 4, "left",
                                   a);
        }
        for (int32_t n = 0; n < graph->nnode; n++) {
                put_vertex(canvas, canvas->right_x, node_y(canvas, n), radius);
                if (n % node_step == 0)
                        put_number(canvas, canvas->right_x + 12, node_y(canvas, n) + 4, "right", n);
        }
        put_text(canvas, canvas->left_x, canvas->grid_y - 26, "name", "apprank");
        put_text(canvas, canvas->right_x, canvas->grid_y - 26, "name", "node");
}

/* Below the grid: what black and grey, thick and thin mean. */
static void put_legend(const struct canvas *canvas)
{
        static const char *const text[] = { "home: the apprank", "helper" };
        static const char *const class[] = { "home", "helper" };
        double x = canvas->grid_x;
        double y = canvas->grid_y + canvas->pitch * canvas->graph->nnode + 22;
        for (int i = 0; i < 2; i++, x += 200) {
                fprintf(canvas->out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" class=\"%s\"/>\n"
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n",
                        x, y - 10, class[i], x + 18, y - 4, x + 36, y - 4, class[i]);
                put_text(canvas, x + 42, y, "note", text[i]);
        }
}

void draw_svg(FILE *out, const struct graph *graph)
{
        struct canvas canvas = lay_out(out, graph);
        put_head(&canvas);
        put_grid(&canvas);
        put_bipartite(&canvas);
        put_legend(&canvas);
        fprintf(out, "</svg>\n");
}
