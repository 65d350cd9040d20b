/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sweep/journal_print.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "sim/sweep/journal_impl.h"

static void print_block(const struct block *block, FILE *out)
{
        struct record record;
        if (block->kind != BLOCK_RUN) {
                fwrite(block->content, 1, block->size, out);
        } else if (record_read(&record, block->content, block->size) < 0) {
                fprintf(out, "{\"strange\":\"block %" PRIu64 " at byte %zu\"}\n", block->number,
                        block->place);
        } else {
                record_print(&record, out);
                fputc('\n', out);
                sim_result_finish(&record.result);
        }
}

static int print_all(const struct journal *journal, FILE *out, struct lb_error *err)
{
        struct blocks blocks;
        struct block block;
        bool more = blocks_begin(&blocks, journal->bytes, journal->size, &block);
        if (!more)
                return lb_error_set(err,
                                    "'%s' is no journal of lbsim, or damaged in its first "
                                    "block",
                                    journal->path);
        for (; more; more = blocks_next(&blocks, &block))
                print_block(&block, out);
        if (blocks.ndamaged == 0)
                return 0;
        return lb_error_set(err,
                            "'%s' is damaged at %" PRId64 " places, first in block %" PRIu64
                            ", bytes %zu to %zu",
                            journal->path, blocks.ndamaged, blocks.damage_number,
                            blocks.damage_begin, blocks.damage_end);
}

/* Mapped, to be read alone. */
static int open_journal(struct journal *journal, const char *directory, struct lb_error *err)
{
        *journal = (struct journal){ .lock = -1 };
        if (lb_path(journal->path, err, "%s/%s", directory, SWEEP_JOURNAL) < 0)
                return -1;
        journal->fd = open(journal->path, O_RDONLY | O_CLOEXEC);
        if (journal->fd < 0)
                return lb_error_set(err, "cannot read '%s': %s", journal->path, strerror(errno));
        if (journal_map(journal, err) == 0)
                return 0;
        close(journal->fd);
        return -1;
}

static void close_journal(struct journal *journal)
{
        journal_unmap(journal);
        close(journal->fd);
}

int journal_print(const char *directory, FILE *out, struct lb_error *err)
{
        struct journal journal;
        if (open_journal(&journal, directory, err) < 0)
                return -1;
        int status = print_all(&journal, out, err);
        close_journal(&journal);
        return status;
}

/* What a note says of the sweep's runs; builds before 0.2 said nothing. */
static void take_wanted(struct journal_count *count, const struct block *note)
{
        struct lb_json doc;
        struct lb_error ignored;
        const char *text = (const char *)note->content;
        if (lb_json_parse(&doc, SWEEP_JOURNAL, text, note->size, &ignored) < 0)
                return;
        const cJSON *runs = cJSON_GetObjectItemCaseSensitive(doc.root, JOURNAL_RUNS);
        const cJSON *most = cJSON_GetObjectItemCaseSensitive(doc.root, JOURNAL_RUNS_MOST);
        const cJSON *wanted = runs ? runs : most;
        if (cJSON_IsNumber(wanted) && wanted->valuedouble >= 1 && wanted->valuedouble < 0x1p53) {
                count->wanted = (int64_t)wanted->valuedouble;
                count->at_most = wanted == most;
        }
        lb_json_close(&doc);
}

bool journal_count(const char *directory, struct journal_count *count)
{
        struct journal journal;
        struct blocks blocks;
        struct block block;
        struct lb_error ignored;
        *count = (struct journal_count){ 0 };
        if (open_journal(&journal, directory, &ignored) < 0)
                return false;
        bool more = blocks_begin(&blocks, journal.bytes, journal.size, &block);
        for (; more; more = blocks_next(&blocks, &block)) {
                count->runs += block.kind == BLOCK_RUN;
                if (block.kind == BLOCK_NOTE)
                        take_wanted(count, &block);
        }
        close_journal(&journal);
        return true;
}

void journal_count_text(const struct journal_count *count, int64_t runs,
                        char text[static JOURNAL_COUNT_SIZE])
{
        if (count->wanted > 0)
                snprintf(text, JOURNAL_COUNT_SIZE, "%" PRId64 " of %s%" PRId64 " run%s", runs,
                         count->at_most ? "at most " : "", count->wanted,
                         lb_s((double)count->wanted));
        else
                snprintf(text, JOURNAL_COUNT_SIZE, "%" PRId64 " run%s", runs, lb_s((double)runs));
}
