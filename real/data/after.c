/* SPDX-License-Identifier: BSD-3-Clause */
/* Each piece of memory that was ever accessed knows its last writer, and the readers since. */
#include "real/data/after.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "real/data/pieces.h"

struct names {
        int32_t *name; /* [room] */
        int32_t count, room;
};

struct written_piece {
        struct piece piece; /* comes first */
        int32_t writer;
        bool is_written;
        struct names readers; /* since */
};

struct after {
        struct pieces pieces;
        struct names found;
};

static bool add(struct names *names, int32_t name)
{
        if (names->count == names->room) {
                int32_t room = names->room ? 2 * names->room : 4;
                int32_t *grown = realloc(names->name, (size_t)room * sizeof(*grown));
                if (!grown)
                        return false;
                names->name = grown;
                names->room = room;
        }
        names->name[names->count++] = name;
        return true;
}

static bool add_all(struct names *names, const struct names *others)
{
        for (int32_t i = 0; i < others->count; i++)
                if (!add(names, others->name[i]))
                        return false;
        return true;
}

/* The readers of a piece that was cut are its rest's as well. Out of memory the rest has none, and
 * room for as many: see complete(). */
static void rest_parted(struct piece *piece)
{
        struct written_piece *rest = (void *)piece;
        struct names whole = rest->readers;
        rest->readers = (struct names){ .count = 0 };
        if (!add_all(&rest->readers, &whole))
                rest->readers.count = -1;
}

static bool is_complete(const struct written_piece *piece)
{
        return piece && piece->readers.count >= 0;
}

struct after *after_create(void)
{
        struct after *after = calloc(1, sizeof(*after));
        if (after)
                pieces_init(&after->pieces, sizeof(struct written_piece), rest_parted);
        return after;
}

void after_destroy(struct after *after)
{
        if (!after)
                return;
        for (struct piece *piece; (piece = pieces_from(&after->pieces, 0));) {
                free(((struct written_piece *)(void *)piece)->readers.name);
                pieces_remove(&after->pieces, piece);
        }
        pieces_finish(&after->pieces);
        free(after->found.name);
        free(after);
}

/* ---- Adding ---- */

static bool write_piece(struct after *after, struct written_piece *piece, int32_t name)
{
        bool fine =
            piece->readers.count > 0 || !piece->is_written || add(&after->found, piece->writer);
        fine &= add_all(&after->found, &piece->readers);
        piece->readers.count = 0;
        piece->writer = name;
        piece->is_written = true;
        return fine;
}

static bool read_piece(struct after *after, struct written_piece *piece, int32_t name)
{
        const struct names *readers = &piece->readers;
        if (piece->is_written && !add(&after->found, piece->writer))
                return false;
        if (readers->count > 0 && readers->name[readers->count - 1] == name)
                return true;
        return (piece->is_written && piece->writer == name) || add(&piece->readers, name);
}

/* What is written becomes one piece. */
static bool write_range(struct after *after, uintptr_t begin, uintptr_t end, int32_t name)
{
        struct written_piece *all = NULL;
        for (uintptr_t at = begin; at < end;) {
                struct written_piece *piece = (void *)pieces_at(&after->pieces, at, end);
                if (!is_complete(piece) || !write_piece(after, piece, name))
                        return false;
                at = piece->piece.end;
                if (!all) {
                        all = piece;
                        continue;
                }
                free(piece->readers.name);
                pieces_remove(&after->pieces, &piece->piece);
                all->piece.end = at;
        }
        return true;
}

static bool read_range(struct after *after, uintptr_t begin, uintptr_t end, int32_t name)
{
        for (uintptr_t at = begin; at < end;) {
                struct written_piece *piece = (void *)pieces_at(&after->pieces, at, end);
                if (!is_complete(piece) || !read_piece(after, piece, name))
                        return false;
                at = piece->piece.end;
        }
        return true;
}

static int by_number(const void *a, const void *b)
{
        int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
        return (x > y) - (x < y);
}

static int32_t sort_out(struct names *found, int32_t own)
{
        int32_t count = 0;
        if (found->count > 1)
                qsort(found->name, (size_t)found->count, sizeof(*found->name), by_number);
        for (int32_t i = 0; i < found->count; i++) {
                int32_t name = found->name[i];
                if (name != own && (count == 0 || found->name[count - 1] != name))
                        found->name[count++] = name;
        }
        return count;
}

/* What is written comes first, so that what the task reads as well is its own. */
int32_t after_add(struct after *after, int32_t naccess, const struct access *access, int32_t name,
                  const int32_t **names)
{
        after->found.count = 0;
        for (const struct access *a = access; a < access + naccess; a++)
                if (a->mode & ACCESS_OUT &&
                    !write_range(after, a->begin, a->begin + a->bytes, name))
                        return -1;
        for (const struct access *a = access; a < access + naccess; a++)
                if (a->mode == ACCESS_IN && !read_range(after, a->begin, a->begin + a->bytes, name))
                        return -1;
        *names = after->found.name;
        return sort_out(&after->found, name);
}
