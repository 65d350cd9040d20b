/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/apps/common/result.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

uint64_t app_hash(uint64_t index, const void *bytes, size_t size)
{
        const unsigned char *byte = bytes;
        uint64_t hash = lb_hash_mix(index + 0x9e3779b97f4a7c15u);
        for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
                uint64_t word = 0;
                size_t left = size - i;
                memcpy(&word, byte + i, left < sizeof(word) ? left : sizeof(word));
                hash = lb_hash_mix(hash + 0x9e3779b97f4a7c15u) ^ word;
        }
        return lb_hash_mix(hash + size);
}

void app_print_iteration(FILE *out, struct app_times *times, double iteration_s)
{
        fprintf(out, "iteration %" PRId32 ": %.4f s\n", times->count, iteration_s);
        fflush(out);
        times->count++;
        times->sum_s += iteration_s;
        times->last_s = iteration_s;
}

void app_print_times(FILE *out, const struct app_times *times)
{
        if (times->count > 0)
                fprintf(out, "time per iteration: mean %.4f s, last %.4f s\n",
                        times->sum_s / times->count, times->last_s);
}

void app_print_checksum(FILE *out, uint64_t checksum)
{
        fprintf(out, "checksum: %016" PRIx64 "\n", checksum);
}

void *app_alloc(size_t bytes)
{
        size_t rounded = (bytes + 63) / 64 * 64 + (bytes == 0 ? 64 : 0);
        void *memory = rounded >= bytes ? aligned_alloc(64, rounded) : NULL;
        if (!memory) {
                fprintf(stderr, "out of memory for %zu bytes, choose smaller sizes\n", bytes);
                exit(1);
        }
        return memset(memory, 0, rounded);
}
