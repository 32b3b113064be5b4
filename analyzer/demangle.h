/* C++ names: from what the linker calls things to what people do. It knows names only, not where they come from. */
#ifndef RBDPROF_ANALYZER_DEMANGLE_H
#define RBDPROF_ANALYZER_DEMANGLE_H

/* The function or object that a symbol stands for; a copy of the symbol when it is not C++'s. The caller frees it; NULL: out of memory. */
char *demangle_symbol(const char *symbol);

/* The type that a type_info names. The same. */
char *demangle_type(const char *mangled);

/* Takes template arguments out of a type's name, in place: librbd::ExclusiveLock<librbd::ImageCtx> is librbd::ExclusiveLock. Returns it. */
char *shorten_type(char *name);

/* The same of a function's name, and takes out its parameters and what it returns, too. */
char *shorten_function(char *name);

#endif
