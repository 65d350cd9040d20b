/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision logs. Each line gets the checksum that it should have, or nothing else would be reached.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/replay.h"

static void put_line(FILE *out, const char *line, size_t size)
{
        fwrite(line, 1, size, out);
        fprintf(out, " ~%08x\n", (unsigned)replay_check(line, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct lb_error err = { LB_ERROR_NONE, "" };
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        if (!out)
                return 0;
        const char *at = (const char *)data, *end = at + size;
        while (at < end) {
                const char *stop = memchr(at, '\n', (size_t)(end - at));
                if (!stop)
                        stop = end;
                put_line(out, at, (size_t)(stop - at));
                at = stop + 1;
        }
        fclose(out);
        struct replay replay = { .npolicy = 0 };
        if (replay_file(&replay, fuzz_file((const uint8_t *)text, length), &err) == 0 &&
            replay.nfile != 1)
                abort();
        free(text);
        return 0;
}
