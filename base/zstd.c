/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* fopencookie() */
#include "base/zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

bool lb_zstd_named(const char *path)
{
        size_t length = strlen(path);
        return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

/* One of the two contexts is there. */
struct coder {
        FILE *behind;
        ZSTD_CCtx *packer;
        ZSTD_DCtx *expander;
        size_t wanted;       /* by the expander to end what it has begun; 0: it is whole */
        ZSTD_inBuffer taken; /* of what was read behind, not yet expanded */
        size_t size;         /* of the buffer: what is compressed */
        char buffer[];
};

/* Streams tell why by errno alone. */
static int fail(int why)
{
        errno = why;
        return -1;
}

static struct coder *create(FILE *behind, bool packs)
{
        size_t size = packs ? ZSTD_CStreamOutSize() : ZSTD_DStreamInSize();
        struct coder *coder = malloc(sizeof(*coder) + size);
        if (!coder)
                return NULL;
        *coder = (struct coder){ .behind = behind, .size = size };
        coder->packer = packs ? ZSTD_createCCtx() : NULL;
        coder->expander = packs ? NULL : ZSTD_createDCtx();
        if (coder->packer || coder->expander)
                return coder;
        free(coder);
        errno = ENOMEM;
        return NULL;
}

static void destroy(struct coder *coder)
{
        ZSTD_freeCCtx(coder->packer);
        ZSTD_freeDCtx(coder->expander);
        free(coder);
}

/* ---- Writing ---- */

/* Some of the input, or with ZSTD_e_end the end of all. *left: what the library still has. */
static int pack(struct coder *coder, ZSTD_inBuffer *in, ZSTD_EndDirective how, size_t *left)
{
        ZSTD_outBuffer out = { coder->buffer, coder->size, 0 };
        *left = ZSTD_compressStream2(coder->packer, &out, in, how);
        if (ZSTD_isError(*left))
                return fail(EIO);
        return fwrite(coder->buffer, 1, out.pos, coder->behind) < out.pos ? -1 : 0;
}

static ssize_t write_packed(void *cookie, const char *text, size_t size)
{
        ZSTD_inBuffer in = { text, size, 0 };
        size_t left;
        while (in.pos < in.size)
                if (pack(cookie, &in, ZSTD_e_continue, &left) < 0)
                        return 0; /* of fopencookie(3): an error */
        return (ssize_t)size;
}

static int end_packed(void *cookie)
{
        ZSTD_inBuffer none = { NULL, 0, 0 };
        size_t left;
        int status;
        do
                status = pack(cookie, &none, ZSTD_e_end, &left);
        while (status == 0 && left > 0);
        int why = errno;
        destroy(cookie);
        errno = why;
        return status;
}

FILE *lb_zstd_writer(FILE *to)
{
        const cookie_io_functions_t calls = { .write = write_packed, .close = end_packed };
        struct coder *coder = create(to, true);
        if (!coder)
                return NULL;
        ZSTD_CCtx_setParameter(coder->packer, ZSTD_c_checksumFlag, 1);
        ZSTD_CCtx_setParameter(coder->packer, ZSTD_c_nbWorkers, 1); /* refused by some builds */
        FILE *stream = fopencookie(coder, "w", calls);
        if (!stream)
                destroy(coder);
        return stream;
}

/* ---- Reading ---- */

static int refill(struct coder *coder)
{
        size_t size = fread(coder->buffer, 1, coder->size, coder->behind);
        coder->taken = (ZSTD_inBuffer){ coder->buffer, size, 0 };
        return size == 0 && ferror(coder->behind) ? -1 : 0;
}

/* A file may be of several pieces, and ends between two. */
static ssize_t read_expanded(void *cookie, char *text, size_t size)
{
        struct coder *coder = cookie;
        ZSTD_outBuffer out = { text, size, 0 };
        while (out.pos == 0) {
                bool over = coder->taken.pos == coder->taken.size;
                if (over && refill(coder) < 0)
                        return -1;
                bool ended = over && coder->taken.size == 0;
                size_t before = coder->taken.pos;
                if (ended && coder->wanted == 0)
                        return 0;
                coder->wanted = ZSTD_decompressStream(coder->expander, &out, &coder->taken);
                if (ZSTD_isError(coder->wanted))
                        return fail(EBADMSG);
                if (ended && out.pos == 0 && coder->taken.pos == before)
                        return fail(EBADMSG);
        }
        return (ssize_t)out.pos;
}

static int end_expanded(void *cookie)
{
        struct coder *coder = cookie;
        fclose(coder->behind);
        destroy(coder);
        return 0;
}

static FILE *expand(FILE *file)
{
        const cookie_io_functions_t calls = { .read = read_expanded, .close = end_expanded };
        struct coder *coder = create(file, false);
        FILE *stream = coder ? fopencookie(coder, "r", calls) : NULL;
        if (!stream && coder)
                destroy(coder);
        return stream;
}

FILE *lb_zstd_open(const char *path)
{
        FILE *file = fopen(path, "re");
        if (!file || !lb_zstd_named(path))
                return file;
        FILE *stream = expand(file);
        if (stream)
                return stream;
        int why = errno;
        fclose(file);
        errno = why;
        return NULL;
}
