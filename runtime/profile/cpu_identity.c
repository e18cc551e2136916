#include "runtime/profile/cpu_identity.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#define MODEL_SIZE    49
#define FEATURES_SIZE 48

/* Keeps only printable characters, for use in files. */
static void clean(char *text)
{
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

#define FIRST_BRAND_LEAF 0x80000002u
#define LAST_BRAND_LEAF  0x80000004u

/* The brand string: 16 bytes in the registers of each of three leaves. */
static void read_model(char model[MODEL_SIZE])
{
    uint32_t registers[4] = {0};

    memset(model, 0, MODEL_SIZE);
    if ((uint32_t)__get_cpuid_max(0x80000000u, NULL) < LAST_BRAND_LEAF)
        return;
    for (uint32_t leaf = FIRST_BRAND_LEAF; leaf <= LAST_BRAND_LEAF; leaf++) {
        __get_cpuid(leaf, &registers[0], &registers[1], &registers[2], &registers[3]);
        memcpy(model + (leaf - FIRST_BRAND_LEAF) * sizeof registers, registers, sizeof registers);
    }
}

/* Leaves 1 and 7 have the instruction sets; the other registers of leaf 1 differ between cores. */
static void read_features(uint32_t features[5])
{
    uint32_t other;

    __get_cpuid(1, &other, &other, &features[0], &features[1]);
    __get_cpuid_count(7, 0, &other, &features[2], &features[3], &features[4]);
    features[0] &= ~(1u << 27); /* without OSXSAVE and OSPKE, which the system sets */
    features[3] &= ~(1u << 4);
}

#else

static void read_model(char model[MODEL_SIZE])
{
    const char *platform = (const char *)getauxval(AT_PLATFORM);
    snprintf(model, MODEL_SIZE, "%s", platform ? platform : "");
}

static void read_features(uint32_t features[5])
{
    const uint64_t first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);

    features[0] = (uint32_t)first;
    features[1] = (uint32_t)(first >> 32);
    features[2] = (uint32_t)second;
    features[3] = (uint32_t)(second >> 32);
}

#endif

static char known_features[FEATURES_SIZE];

static void learn_features(void)
{
    uint32_t features[5] = {0};

    read_features(features);
    snprintf(known_features, sizeof known_features, "%08x-%08x-%08x-%08x-%08x", features[0],
             features[1], features[2], features[3], features[4]);
}

const char *hy_cpu_features(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    /* In a virtual machine each CPUID costs as much as a system call. */
    (void)pthread_once(&once, learn_features);
    return known_features;
}

void hy_cpu_identity(char text[HY_CPU_IDENTITY_SIZE])
{
    char model[MODEL_SIZE];

    read_model(model);
    snprintf(text, HY_CPU_IDENTITY_SIZE, "%s, features %s", *model ? model : "unknown",
             hy_cpu_features());
    clean(text);
}
