#include "analyzer/demangle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* libstdc++'s, as the C++ ABI has it (<cxxabi.h> is C++ only): a malloc()ed name, or NULL. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

#define ANONYMOUS "(anonymous namespace)"

static char *demangle(const char *mangled)
{
	int status;
	char *name = __cxa_demangle(mangled, NULL, NULL, &status);

	return name ? name : strdup(mangled);
}

char *demangle_symbol(const char *symbol)
{
	/* Without the prefix it is a type to the demangler, and C's `f` would be a float. */
	return strncmp(symbol, "_Z", 2) == 0 ? demangle(symbol) : strdup(symbol);
}

char *demangle_type(const char *mangled)
{
	/* GCC marks what other objects may call the same but is not. */
	return demangle(mangled + (*mangled == '*'));
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	return length >= strlen(end) && strncmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* What follows the bracket that closes the one which text begins with. */
static const char *skip_brackets(const char *text, char open, char close)
{
	unsigned depth = 0;

	for (; *text; text++) {
		depth += *text == open;
		/* The arrow of a -> is no bracket. */
		if (*text == close && text[-1] != '-' && --depth == 0)
			return text + 1;
	}
	return text;
}

/* The length of the operator with a bracket in it that text begins with; 0 when it begins with none. */
static size_t operator_length(const char *text)
{
	static const char *const operators[] = {"<<=", ">>=", "<=>", "->*", "->", "<<", ">>", "<=", ">=", "()", "<", ">"};

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (strncmp(text, operators[i], strlen(operators[i])) == 0)
			return strlen(operators[i]);
	return 0;
}

/* Copies text to `to`, which may be the same, without template arguments, and without parameters if these are to go. */
static size_t strip(char *to, const char *text, bool parameters)
{
	size_t length = 0, taken;

	while (*text) {
		if (strncmp(text, ANONYMOUS, strlen(ANONYMOUS)) == 0)
			taken = strlen(ANONYMOUS);
		else if (ends_with(to, length, "operator") && operator_length(text))
			taken = operator_length(text);
		else
			taken = *text != '<' && !(*text == '(' && parameters);
		if (taken == 0 && *text == '<') {
			text = skip_brackets(text, '<', '>');
		} else if (taken == 0) {
			text = skip_brackets(text, '(', ')');
			/* What follows is const, &&, [clone …], unless it goes on with what lies within the function: ::, or the #1} of a
			 * lambda. */
			if ((*text == '\0' || !strchr(":#", *text)) && !ends_with(to, length, "decltype "))
				break;
		} else if (text[0] == ' ' && text[1] == '<') {
			text++; /* it keeps brackets apart: operator<< <int> */
		} else {
			memmove(to + length, text, taken);
			length += taken;
			text += taken;
		}
	}
	to[length] = '\0';
	return length;
}

char *shorten_type(char *name)
{
	strip(name, name, false);
	return name;
}

char *shorten_function(char *name)
{
	size_t length = strip(name, name, true), begin = 0;

	/* What it returns ends with the last blank that is none of an operator's or a namespace's. */
	for (size_t i = 0; i < length; i++)
		if (name[i] == ' ' && !ends_with(name, i, "operator") && !ends_with(name, i, "(anonymous") &&
		    !strstr(name + begin, "operator "))
			begin = i + 1;
	memmove(name, name + begin, length - begin + 1);
	return name;
}
