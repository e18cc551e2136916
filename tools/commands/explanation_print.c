#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands/explanation.h"
#include "tools/token_text.h"

#define NS_PER_US 1e3

static int widest(int least, const char *text)
{
    const int length = (int)strlen(text);
    return length > least ? length : least;
}

static void print_operation(const struct hy_explanation *explanation, uint32_t index,
                            int name_width, int device_width)
{
    const struct halyard_plan_operation *operation = &explanation->operations[index];
    char runner_up[96] = "-";
    if (operation->runner_up)
        snprintf(runner_up, sizeof runner_up, "%s %.2f", hy_device_name(operation->runner_up),
                 operation->runner_up_cost / NS_PER_US);
    printf("%4u %4u  %-*s  %-*s  %9.2f  %-*s  %s\n", index, operation->step, name_width,
           operation->name, device_width, hy_device_name(operation->device),
           operation->cost / NS_PER_US, device_width + 10, runner_up, operation->reason);
}

static void print_operations(const struct hy_explanation *explanation)
{
    int name_width = 9, device_width = 6;
    for (uint32_t i = 0; i < explanation->plan.operation_count; i++) {
        const struct halyard_plan_operation *operation = &explanation->operations[i];
        name_width = widest(name_width, operation->name);
        device_width = widest(device_width, hy_device_name(operation->device));
        device_width = widest(device_width, hy_device_name(operation->runner_up));
    }
    printf("%4s %4s  %-*s  %-*s  %9s  %-*s  %s\n", "#", "step", name_width, "operation",
           device_width, "device", "cost us", device_width + 10, "runner-up us", "why");
    for (uint32_t i = 0; i < explanation->plan.operation_count; i++)
        print_operation(explanation, i, name_width, device_width);
}

static void print_refusals(const struct hy_explanation *explanation)
{
    for (uint32_t i = 0; i < explanation->refusal_count; i++) {
        const struct hy_refusal *refusal = &explanation->refusals[i];
        printf("%s%4u  %s: %s\n", i == 0 ? "\nRefused\n" : "", refusal->operation, refusal->device,
               refusal->reason);
    }
}

/* Prints nothing without a cache. */
static void print_cache(const struct halyard_plan_step *step)
{
    static const char *const outcomes[] = {
        [HALYARD_CACHE_UNUSED] = "unused",
        [HALYARD_CACHE_HIT] = "hit",
        [HALYARD_CACHE_STORED] = "miss, stored",
        [HALYARD_CACHE_NOT_STORED] = "miss, not stored",
    };
    if (step->cache > HALYARD_CACHE_OFF &&
        step->cache < (int32_t)(sizeof outcomes / sizeof *outcomes))
        printf("      cache %s: %s, %llu bytes\n", outcomes[step->cache], step->cache_reason,
               (unsigned long long)step->cache_bytes);
}

/* How far apart prediction and measurement may be without a word about it. */
#define FAR_APART 3

/* A plan from wrong predictions may be slow. */
static void print_remark(const struct halyard_plan_step *step)
{
    if (step->run_count == 0 || step->total_ns == 0 || step->predicted_ns == 0)
        return;
    const double measured = (double)step->total_ns / (double)step->run_count;
    const double ratio = measured / (double)step->predicted_ns;
    if (ratio > FAR_APART)
        printf("      remark: takes %.1f times as long as predicted", ratio);
    else if (ratio < 1. / FAR_APART)
        printf("      remark: predicted %.1f times as long as measured", 1 / ratio);
    else
        return;
    puts("; halyard bench --profile measures times for better plans");
}

static void print_step(uint32_t index, const struct halyard_plan_step *step)
{
    char token[HY_TOKEN_TEXT_SIZE];
    hy_token_text(step->token, token);
    printf("%4u  %s, %u operation%s, %llu bytes in, %llu bytes out, prepared in %.3f ms\n"
           "      predicted %.2f us, ",
           index, hy_device_name(step->device), step->operation_count,
           step->operation_count == 1 ? "" : "s", (unsigned long long)step->input_bytes,
           (unsigned long long)step->output_bytes, (double)step->prepare_ns / 1e6,
           (double)step->predicted_ns / NS_PER_US);
    if (step->run_count)
        printf("measured %.2f us (%llu runs)\n",
               (double)step->total_ns / (double)step->run_count / NS_PER_US,
               (unsigned long long)step->run_count);
    else
        puts("not measured");
    print_remark(step);
    printf("      token %s\n", token);
    print_cache(step);
}

/* Bytes that move between steps, and bytes that the runtime has copied. */
static void print_bytes(const struct halyard_plan *plan)
{
    const unsigned long long runs = plan->execution_count;

    printf("%llu bytes from step to step", (unsigned long long)plan->boundary_bytes);
    if (plan->device_boundary_bytes > 0)
        printf(", %llu of them in memory of a device",
               (unsigned long long)plan->device_boundary_bytes);
    printf("; %llu bytes copied by the runtime", (unsigned long long)plan->copied_bytes);
    if (runs > 0)
        printf(" in %llu execution%s", runs, runs == 1 ? "" : "s");
    putchar('\n');
}

void hy_explanation_print(const struct hy_explanation *explanation)
{
    print_operations(explanation);
    print_refusals(explanation);
    puts("\nSteps");
    for (uint32_t i = 0; i < explanation->plan.step_count; i++)
        print_step(i, &explanation->steps[i]);

    const struct halyard_plan *plan = &explanation->plan;
    printf("\n%u step%s, predicted %.2f us; %u operation%s fell back to the CPU; compiled in %.3f "
           "ms\n",
           plan->step_count, plan->step_count == 1 ? "" : "s",
           (double)plan->predicted_ns / NS_PER_US, plan->fallback_count,
           plan->fallback_count == 1 ? "" : "s", (double)plan->compile_ns / 1e6);
    print_bytes(plan);
}

enum hy_code hy_explanation_print_dot(const struct hy_session *session, struct hy_error *err)
{
    char *text = NULL;
    enum hy_code code = hy_explanation_report(session, HALYARD_REPORT_DOT, &text, err);
    if (code == HY_OK)
        fputs(text, stdout);
    free(text);
    return code;
}
