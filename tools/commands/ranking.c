#include "tools/commands/ranking.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "common/printable.h"
#include "tools/api_result.h"
#include "tools/values.h"

#define BAR_WIDTH 40

enum hy_code hy_ranking_read_labels(struct hy_session *session, const char *path,
                                    struct hy_error *err)
{
    const uint32_t count = hy_session_output_count(session);
    if (count == 0)
        return hy_fail(err, HY_BAD_DATA, "%s: the model has no output to label", path);
    const enum hy_code first = hy_session_read_labels(session, 0, path, err);
    if (first != HY_BAD_DATA)
        return first;
    for (uint32_t i = 1; i < count; i++)
        if (hy_session_read_labels(session, i, path, NULL) == HY_OK)
            return HY_OK;
    return first;
}

/* True if the output has as many names as classes; the classes are the last extent above 1. */
static bool is_labelled(const struct halyard_tensor_info *info)
{
    int32_t classes = 1;
    for (uint32_t i = info->rank; classes == 1 && i-- > 0;)
        classes = info->extents[i];
    return info->label_count > 0 && classes == (int32_t)info->label_count;
}

static enum hy_code rank(const struct hy_session *session, uint32_t output, struct hy_ranking *out,
                         struct hy_error *err)
{
    struct hy_values values;
    enum hy_code code = hy_values_read(session, output, &values, err);
    if (code != HY_OK)
        return code;
    *out = (struct hy_ranking){.output = output, .count = HY_RANKING_SIZE};
    out->is_fraction = values.min >= 0 && values.max <= 1;
    hy_values_finish(&values);
    return hy_api_result(
        halyard_session_top(hy_session_handle(session), output, out->ranks, &out->count),
        "session_top", err);
}

/* Quantised shares of many classes do not add up to just 1. */
static bool are_probabilities(const struct hy_values *values)
{
    double sum = 0;

    for (uint64_t i = 0; i < values->count; i++)
        sum += values->at[i];
    return values->count > 2 && values->min >= 0 && values->max <= 1 && sum > .9 && sum < 1.1;
}

static enum hy_code looks_like_probabilities(const struct hy_session *session, uint32_t output,
                                             bool *ret, struct hy_error *err)
{
    const struct hy_session_tensor tensor = hy_session_output(session, output);
    struct hy_values values;
    uint32_t wide = 0;

    *ret = false;
    for (uint32_t i = 0; i < tensor.info.rank; i++)
        wide += tensor.info.extents[i] != 1;
    if (wide != 1 || tensor.info.type == HALYARD_TYPE_STRING)
        return HY_OK;
    const enum hy_code code = hy_values_read(session, output, &values, err);
    if (code != HY_OK)
        return code;
    *ret = are_probabilities(&values);
    hy_values_finish(&values);
    return HY_OK;
}

/* Without names. */
static enum hy_code rank_probabilities(const struct hy_session *session, bool *found,
                                       struct hy_ranking *out, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && !*found && i < hy_session_output_count(session); i++) {
        code = looks_like_probabilities(session, i, found, err);
        if (code == HY_OK && *found)
            code = rank(session, i, out, err);
    }
    return code;
}

enum hy_code hy_ranking_make(const struct hy_session *session, bool *found, struct hy_ranking *out,
                             struct hy_error *err)
{
    *found = false;
    for (uint32_t i = 0; i < hy_session_output_count(session); i++) {
        const struct hy_session_tensor output = hy_session_output(session, i);
        if (is_labelled(&output.info)) {
            *found = true;
            const enum hy_code code = rank(session, i, out, err);
            out->is_labelled = true;
            return code;
        }
    }
    return rank_probabilities(session, found, out, err);
}

/* A full block if the terminal's character set has one. */
static const char *bar_character(void)
{
    setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\xe2\x96\x88" : "#";
}

static void print_probability(double share)
{
    const char *character = bar_character();
    printf(" %6.2f %%  ", 100 * share);
    for (int bar = 0; bar < BAR_WIDTH && bar < share * BAR_WIDTH - 0.5; bar++)
        fputs(character, stdout);
}

/* A class without a name goes by its index. */
static struct hy_line name_of(const struct hy_ranking *ranking, uint32_t position)
{
    const struct halyard_rank *rank = &ranking->ranks[position];
    struct hy_line line;

    if (ranking->is_labelled)
        return hy_text_line(rank->label);
    snprintf(line.text, sizeof line.text, "#%u", rank->index);
    return line;
}

void hy_ranking_print(const struct hy_ranking *ranking)
{
    int width = 0;
    for (uint32_t i = 0; i < ranking->count; i++) {
        const int length = (int)strlen(name_of(ranking, i).text);
        width = length > width ? length : width;
    }
    for (uint32_t i = 0; i < ranking->count; i++) {
        const struct halyard_rank *at = &ranking->ranks[i];
        printf("  %-*s", width, name_of(ranking, i).text);
        if (ranking->is_fraction)
            print_probability(at->value);
        else
            printf(" %g", at->value);
        putchar('\n');
    }
}
