#include "tools/ranking.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "tools/values.h"

#define BAR_WIDTH 40

static uint32_t count_lines(const char *text)
{
    uint32_t lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    return lines + 1;
}

/* Ends each line with a 0 and notes where it starts. Control characters must not reach a terminal.
 */
static void split_lines(struct hy_labels *labels)
{
    for (char *at = labels->text; *at;) {
        char *end = at + strcspn(at, "\n");
        const bool last = *end == '\0';
        *end = '\0';
        labels->names[labels->count++] = at;
        for (; *at; at++)
            if ((unsigned char)*at < 0x20 || *at == 0x7f)
                *at = ' ';
        at = last ? end : end + 1;
    }
    while (labels->count && !labels->names[labels->count - 1][0])
        labels->count--;
}

enum hy_code hy_labels_load(const char *path, struct hy_labels *out, struct hy_error *err)
{
    size_t room = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    const bool has_text = getdelim(&out->text, &room, '\0', file) >= 0;
    const bool has_failed = ferror(file) != 0;
    fclose(file);
    if (has_failed) {
        hy_labels_finish(out);
        return hy_fail(err, HY_FAILED, "%s: %s", path, strerror(errno));
    }
    if (!has_text) { /* an empty file */
        free(out->text);
        out->text = strdup("");
    }
    if (!out->text)
        return hy_fail(err, HY_OUT_OF_MEMORY, "labels of %s", path);

    out->names = calloc(count_lines(out->text), sizeof *out->names);
    if (!out->names) {
        hy_labels_finish(out);
        return hy_fail(err, HY_OUT_OF_MEMORY, "labels of %s", path);
    }
    split_lines(out);
    return HY_OK;
}

void hy_labels_finish(struct hy_labels *labels)
{
    free(labels->names);
    free(labels->text);
    *labels = (struct hy_labels){0};
}

static void insert(struct hy_ranking *ranking, const struct hy_rank *rank)
{
    uint32_t at = ranking->count;
    while (at > 0 && rank->percent > ranking->ranks[at - 1].percent)
        at--;
    if (at == HY_RANKING_SIZE)
        return;
    if (ranking->count < HY_RANKING_SIZE)
        ranking->count++;
    for (uint32_t i = ranking->count - 1; i > at; i--)
        ranking->ranks[i] = ranking->ranks[i - 1];
    ranking->ranks[at] = *rank;
}

static void rank_all(const struct hy_session_tensor *output, const struct hy_labels *labels,
                     struct hy_ranking *ranking)
{
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct hy_rank rank = {
            .label = labels->names[i],
            .index = i,
            .percent = 100 * hy_values_get(output, i),
        };
        insert(ranking, &rank);
    }
}

enum hy_code hy_ranking_make(const struct hy_session *session, const struct hy_labels *labels,
                             struct hy_ranking *out, struct hy_error *err)
{
    *out = (struct hy_ranking){0};
    for (uint32_t i = 0; i < hy_session_output_count(session); i++) {
        const struct hy_session_tensor output = hy_session_output(session, i);
        if (hy_values_count(&output) != labels->count)
            continue;
        rank_all(&output, labels, out);
        return HY_OK;
    }
    if (hy_session_output_count(session) == 0)
        return hy_fail(err, HY_BAD_DATA, "the model has no output to label");
    const struct hy_session_tensor first = hy_session_output(session, 0);
    return hy_fail(err, HY_BAD_DATA,
                   "there are %u labels, but no output of as many elements (output 0 has %llu)",
                   labels->count, (unsigned long long)hy_values_count(&first));
}

/* A full block where the terminal's language can show it. */
static const char *bar_character(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\xe2\x96\x88" : "#";
}

void hy_ranking_print(const struct hy_ranking *ranking)
{
    int width = 0;
    for (uint32_t i = 0; i < ranking->count; i++) {
        const int length = (int)strlen(ranking->ranks[i].label);
        width = length > width ? length : width;
    }

    const char *character = bar_character();
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct hy_rank *rank = &ranking->ranks[i];
        printf("  %-*s %6.2f %%  ", width, hy_text_line(rank->label).text, rank->percent);
        for (int bar = 0; bar < BAR_WIDTH && bar < rank->percent * BAR_WIDTH / 100 - 0.5; bar++)
            fputs(character, stdout);
        putchar('\n');
    }
}
