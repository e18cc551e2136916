#include "bench/compare/serve.h"

#include "bench/compare/exchange.h"
#include "common/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHO, THREADS, TFLITE, ONNX, FOLDER, MODEL };

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A line of the process's status in kilobytes, converted to bytes; 0: missing. */
static double read_status(const char *name)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    double bytes = 0;

    while (status && fgets(line, sizeof line, status)) {
        if (strncmp(line, name, strlen(name)) == 0)
            bytes = 1024.0 * strtod(line + strlen(name), NULL);
    }
    if (status)
        fclose(status);
    return bytes;
}

/* From here on the highest mark is what the process has now. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (!file)
        return;
    fputs("5", file);
    fclose(file);
}

/* ---- The other end --------------------------------------------------------------------------- */

/* From the file to the end of the first run, with its cost. */
static enum hy_code get_ready(enum hy_contestant who, const struct hy_contest_model *model,
                              const struct hy_exchange *exchange, struct hy_entrant **entrant,
                              struct hy_remote_facts *facts, struct hy_error *err)
{
    enum hy_code code = hy_entrant_prepare(who, model, err);

    forget_peak();
    const double before = read_status("VmRSS:"), start = hy_clock_seconds();
    if (code == HY_OK)
        code = hy_entrant_open(who, model, entrant, err);
    facts->seconds = hy_clock_seconds() - start;
    if (code == HY_OK)
        code = hy_exchange_give(exchange, *entrant, err);
    if (code == HY_OK)
        code = hy_entrant_run(*entrant, err);
    facts->bytes = read_status("VmHWM:") - before;
    /* Some models have a state between runs: outputs of the first run are compared. */
    return code == HY_OK ? hy_exchange_take(exchange, *entrant, who, err) : code;
}

int hy_serve(char **arguments)
{
    const struct hy_contest_model model = {.tflite = arguments[TFLITE],
                                           .onnx = *arguments[ONNX] ? arguments[ONNX] : NULL,
                                           .path = arguments[MODEL],
                                           .threads =
                                               (int32_t)strtol(arguments[THREADS], NULL, 10)};
    struct hy_entrant *entrant = NULL;
    struct hy_exchange exchange = {0};
    struct hy_remote_facts facts = {0};
    struct hy_error err = {0};
    enum hy_contestant who;

    enum hy_code code = hy_contestant_find(arguments[WHO], &who)
                            ? hy_exchange_open(arguments[FOLDER], model.path, &exchange, &err)
                            : hy_fail(&err, HY_BAD_DATA, "not a contestant");
    if (code == HY_OK)
        code = get_ready(who, &model, &exchange, &entrant, &facts, &err);
    const struct hy_racer racer = {.run = hy_entrant_run, .self = entrant};
    if (code == HY_OK)
        code = hy_remote_racer_serve(&racer, &facts, &err);
    if (code != HY_OK)
        fprintf(stderr, "compare: %s: %s\n", arguments[WHO], err.text);
    hy_entrant_close(entrant);
    hy_exchange_close(&exchange);
    return code == HY_OK ? 0 : 1;
}

/* ---- This end -------------------------------------------------------------------------------- */

enum hy_code hy_serve_start(const char *program, enum hy_contestant who,
                            const struct hy_contest_model *model, const char *folder,
                            struct hy_remote_racer **out, struct hy_error *err)
{
    char threads[16];
    const char *const words[] = {program, "--serve",     hy_contestant_word(who),
                                 threads, model->tflite, model->onnx ? model->onnx : "",
                                 folder,  model->path,   NULL};
    const struct hy_remote_variable variables[] = {
        {"HALYARD_CPU_THREADS", threads}, /* as many as the peers have */
        {"HALYARD_ISOLATE", who == HY_ISOLATED ? "halyard-cpu" : ""},
    };

    snprintf(threads, sizeof threads, "%d", model->threads);
    enum hy_code code = hy_remote_racer_start(words, variables, 2, out, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "%s", hy_contestant_name(who));
}
