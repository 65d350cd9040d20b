/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/view/screen.h"

#include <curses.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

/* of term.h, words of ours */
#undef lines
#undef columns
#undef tab

#include "real/control/job.h"
#include "real/launch/view/model.h"

/* Apart for most eyes also where red and green look alike: Okabe and Ito's, of 256 and of 8. */
static const short colours_256[] = { 39, 214, 79, 221, 33, 203, 176, 250 };
static const short colours_8[] = { COLOR_CYAN,    COLOR_YELLOW, COLOR_GREEN, COLOR_WHITE,
                                   COLOR_MAGENTA, COLOR_RED,    COLOR_BLUE };

enum { LABEL_WIDTH = 10, PANE_MIN = 3, PANE_MAX = 12, NARROW = 80 };

static SCREEN *screen;
static FILE *tty;
static short ncolour; /* 0: the terminal has none */
static int32_t first; /* node shown at the top */

/* ---- The terminal ---- */

int screen_check(int terminal, struct lb_error *err)
{
        int found;
        const char *name = getenv("TERM");
        if (setupterm(NULL, terminal, &found) != OK || !tigetstr("cup") || !tigetstr("clear"))
                return lb_error_set(err,
                                    "--watch: the terminal (TERM=%s) is not one to draw on, "
                                    "allowed is one whose cursor moves, or no --watch",
                                    name ? name : "");
        return 0;
}

static int repaired;

static int put_char(int c)
{
        char byte = (char)c;
        return write(repaired, &byte, 1) == 1 ? c : EOF;
}

void screen_repair(int terminal)
{
        static const char *const names[] = { "sgr0", "rmkx", "cnorm", "rmcup" };
        repaired = terminal;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                char *text = tigetstr((char *)names[i]);
                if (text && text != (char *)-1)
                        tputs(text, 1, put_char);
        }
}

static void choose_colours(void)
{
        if (!has_colors() || start_color() == ERR)
                return;
        const short *colour = COLORS >= 256 ? colours_256 : colours_8;
        ncolour = COLORS >= 256 ? (short)(sizeof(colours_256) / sizeof(colours_256[0]))
                                : (short)(sizeof(colours_8) / sizeof(colours_8[0]));
        for (short i = 0; i < ncolour; i++)
                init_pair((short)(i + 1), COLOR_BLACK, colour[i]);
}

bool screen_open(int terminal)
{
        if (screen) {
                clearok(curscr, TRUE);
                return true;
        }
        setlocale(LC_CTYPE, "");
        tty = fdopen(dup(terminal), "r+");
        screen = tty ? newterm(NULL, tty, tty) : NULL;
        if (!screen)
                return false;
        choose_colours();
        set_escdelay(25);
        cbreak();
        noecho();
        keypad(stdscr, TRUE);
        nodelay(stdscr, TRUE);
        curs_set(0);
        return true;
}

void screen_close(void)
{
        if (screen)
                endwin();
}

void screen_resize(int terminal)
{
        struct winsize size;
        if (screen && ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
                resizeterm(size.ws_row, size.ws_col);
}

bool screen_key(void)
{
        for (int key; (key = getch()) != ERR;) {
                if (key == 'q' || key == 'Q')
                        return false;
                if (key == KEY_DOWN || key == KEY_UP)
                        first += key == KEY_DOWN ? 1 : -1;
                if (key == KEY_NPAGE || key == KEY_PPAGE)
                        first += (key == KEY_NPAGE ? 1 : -1) * (LINES / 2);
        }
        return true;
}

/* ---- Nodes ---- */

static attr_t colour_of(int32_t apprank)
{
        return apprank < 0 || ncolour == 0 ? A_NORMAL
                                           : (attr_t)COLOR_PAIR(1 + apprank % (int32_t)ncolour);
}

static void put_letter(int32_t apprank, attr_t attributes)
{
        addch((chtype)(unsigned char)view_letter(apprank) | attributes);
}

static void draw_core(const struct view_node *node, int32_t core, int wide)
{
        const struct board_core of = node->core[core];
        int32_t owner = view_apprank(node, of.owner), user = view_apprank(node, of.user);
        if (wide > 1)
                put_letter(owner, colour_of(owner));
        put_letter(user, colour_of(wide > 1 ? user : owner));
        if (wide > 2)
                addch(' ');
}

/* What is said of a node beside its cores, by how wide it is. */
enum figures { FIGURES_ALL, FIGURES_BUSY, FIGURES_NUMBER, NFIGURES };
static const int figures_width[NFIGURES] = { 34, 18, 8 };

/* As much as leaves room for all cores of the largest node, of two letters or else of one. */
static enum figures choose_figures(const struct job *job)
{
        for (int letters = 2; letters > 0; letters--)
                for (int f = 0; f < NFIGURES; f++)
                        if (COLS - LABEL_WIDTH - figures_width[f] >= letters * job->cores_per_node)
                                return (enum figures)f;
        return FIGURES_NUMBER;
}

static void draw_figures(const struct view_node *node, enum figures figures, int row)
{
        char text[128];
        int width = figures_width[figures];
        int size =
            snprintf(text, sizeof(text), figures == FIGURES_NUMBER ? " %.1f" : " busy %.1f of %d",
                     node->busy_cores, (int)node->ncore);
        if (figures == FIGURES_ALL)
                snprintf(text + size, sizeof(text) - (size_t)size,
                         ", %" PRId32 " wait, %" PRId32 " lent", node->ready, node->lent);
        mvaddnstr(row, COLS > width ? COLS - width : 0, text, width);
}

/* As wide as fits; a core that does not is told by a mark. */
static void draw_cores(const struct view_node *node, int room)
{
        int wide = node->ncore * 3 <= room ? 3 : node->ncore * 2 <= room ? 2 : 1;
        for (int32_t core = 0; core < node->ncore; core++) {
                if (core + 1 >= room && core + 1 < node->ncore) {
                        addch('>');
                        return;
                }
                draw_core(node, core, wide);
        }
}

static void draw_node(const struct view_model *model, int32_t n, int row)
{
        const struct view_node *node = &model->node[n];
        enum figures figures = choose_figures(model->job);
        mvprintw(row, 0, "node %-4" PRId32 " ", n);
        if (!node->seen) {
                addnstr("not there yet", COLS - LABEL_WIDTH - 1);
                return;
        }
        draw_cores(node, COLS - LABEL_WIDTH - figures_width[figures]);
        draw_figures(node, figures, row);
}

static void draw_nodes(const struct view_model *model, int row, int rows)
{
        int32_t last = model->job->nnode - rows;
        first = first > last ? last : first;
        first = first < 0 ? 0 : first;
        for (int32_t i = 0; i < rows && first + i < model->job->nnode; i++)
                draw_node(model, first + i, row + i);
}

/* ---- All ---- */

static void draw_title(const char *text, int row)
{
        attron(A_BOLD);
        mvhline(row, 0, ACS_HLINE, COLS);
        mvaddnstr(row, 2, text, COLS - 2);
        attroff(A_BOLD);
}

static int rows_of(const char *text)
{
        return 1 + ((int)strlen(text) - 1) / (COLS > 1 ? COLS - 1 : 1);
}

/* The newest lines, each in as many rows as it takes; the last is empty unless it is not whole yet.
 */
static void draw_lines(const struct view_lines *lines, int row, int rows)
{
        bool whole = lines->text[lines->count % VIEW_LINES][0] == '\0';
        int64_t end = lines->count + (whole ? 0 : 1), begin = end;
        int used = 0;
        while (begin > 0 && end - begin < VIEW_LINES - 1) {
                int more = rows_of(lines->text[(begin - 1) % VIEW_LINES]);
                if (used + more > rows && used > 0)
                        break;
                used += more;
                begin--;
        }
        for (int64_t i = begin; i < end; i++) {
                const char *text = lines->text[i % VIEW_LINES];
                for (int part = rows_of(text); part > 0 && rows > 0; part--, rows--, row++) {
                        mvaddnstr(row, 0, text, COLS - 1);
                        text += strnlen(text, (size_t)(COLS > 1 ? COLS - 1 : 1));
                }
        }
}

/* Returns how many rows it takes. */
static int draw_head(const struct view_model *model)
{
        const struct job *job = model->job;
        bool narrow = COLS < NARROW;
        char text[256], cores[64], figures[128];
        job_describe_cores(job, cores, sizeof(cores));
        snprintf(figures, sizeof(figures),
                 narrow ? "%.0f s, imbalance %.2f, appranks %.2f"
                        : "%.0f s; imbalance of nodes %.2f, of appranks %.2f",
                 model->at_s, model->node_imbalance, model->apprank_imbalance);
        attron(A_BOLD);
        snprintf(text, sizeof(text),
                 "%.31s, %" PRId32 " nodes of %s cores, %" PRId32 " appranks%s%s", job->system,
                 job->nnode, cores, job->napprank, narrow ? "" : ", ", narrow ? "" : figures);
        mvaddnstr(0, 0, text, COLS - 1);
        if (narrow)
                mvaddnstr(1, 0, figures, COLS - 1);
        attroff(A_BOLD);
        mvaddnstr(narrow ? 2 : 1, 0,
                  narrow ? "a core: owner, user (a: 0); q: no view"
                         : "a core: who owns it, who uses it (a: apprank 0, -: nobody); q ends the "
                           "view, Ctrl-C the job",
                  COLS - 1);
        return narrow ? 3 : 2;
}

/* Nodes first; what is left is for the two panes, which have some lines in any case. */
void screen_draw(const struct view_model *model, const struct view_lines *output)
{
        erase();
        int head = draw_head(model), room = LINES - head - model->job->nnode;
        int pane = room / 2 > PANE_MAX ? PANE_MAX : room / 2 < PANE_MIN ? PANE_MIN : room / 2;
        int nodes = LINES - head - 2 * pane;
        nodes = nodes > model->job->nnode ? model->job->nnode : nodes;
        draw_nodes(model, head, nodes);
        int row = head + (nodes > 0 ? nodes : 0);
        draw_title(" decisions ", row);
        draw_lines(&model->decisions, row + 1, pane - 1);
        draw_title(" printed ", row + pane);
        draw_lines(output, row + pane + 1, LINES - row - pane - 1);
        refresh();
}
