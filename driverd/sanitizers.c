/* Builds with a sanitizer: disables leak checking, which would trace this process from another
 * process; the sandbox refuses tracing. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
    return 1;
}
#else
typedef int hy_no_sanitizer; /* ISO C forbids an empty translation unit */
#endif
