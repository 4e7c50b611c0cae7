/* What the files of flattening share.
 *
 *   flatten_names.c       what files and component bodies declare; what imports make visible
 *   flatten_component.c   which components contain which; which formals are needed early
 *   flatten_instance.c    one use of a component: its prefix, indices and surroundings
 *   flatten_argument.c    what is given to it
 *   flatten_reference.c   what a name, with its members and indices, refers to
 *   flatten_purity.c      what is made of numbers and parameters only
 *   flatten_expression.c  copying expressions
 *   flatten_statement.c   copying statements, writing out instances
 *   flatten_words.c       reports
 *   flatten.c             the whole */
#ifndef DYN_SEMA_FLATTEN_PRIVATE_H
#define DYN_SEMA_FLATTEN_PRIVATE_H
#include "base/map.h"
#include "sema/flatten.h"
#include "sema/import.h"
#include "sema/scope_private.h"

enum {
  DEEPEST_INSTANCE = 100, /* components in components */
  LONGEST_PREFIX = 400,   /* bytes of "robot.leg." */
  MOST_WRITTEN_STATEMENTS = 200000,
  MOST_WRITTEN_NODES = 2000000, /* of expressions */
};

/* An index or argument that is known in an inner scope; innermost first. */
struct flat_local {
  const struct flat_local *outer;
  const char *name;
  bool is_barrier; /* a function: what lies outside can't be seen from inside */
};

/* Where an expression stands. */
struct flat_env {
  struct flat_use *use;
  const struct ast *ast; /* that the expression is part of */
  const struct flat_local *locals;
  const struct flat_lead *leads; /* use->lead_count of them: the indices of this use */
};

/* One index of an instance: a name of the flat tree, or an expression. */
struct flat_lead {
  const char *name;
  const struct flat_env *env;
  ast_expr e;
  struct span span;
};

struct flat_site { /* an instance statement */
  const struct ast_statement *statement;
  const struct flat_local *loops;   /* around it */
  struct flat_component *component; /* NULL: it has none, which was reported */
  uint32_t rank, id, next;          /* next: the next site of the same name */
  bool is_element, in_if, is_bad;   /* bad: declared twice; it is not written out */
};

struct flat_symbol { /* a name that is declared in a file or a body */
  enum name_kind kind;
  const char *name;
  struct span span;
  const struct ast_statement *statement;
  const struct ast_formal *formal; /* of a component */
  uint32_t formal_index;
  uint32_t rank, first_site, last_site;
  struct flat_file *file; /* that declares it */
  struct flat_component
      *component;           /* NAME_COMPONENT: itself; else whose body declares it, or NULL */
  struct flat_file *module; /* NAME_MODULE; NULL: it could not be had */
  bool in_if;
  bool is_needed; /* of an imported file: something uses it, so it stands in the flat tree */
  struct ast_statement *copy; /* there */
  uint8_t purity;             /* of a function: 0 unknown, 1 pure, 2 not, 3 being found out */
  uint8_t *is_early;          /* of a function, per argument, once it is known */
};

struct flat_names { /* one scope */
  VECTOR(struct flat_symbol *) symbols;
  VECTOR(struct flat_site *) sites; /* [0] unused */
  struct map by_name, by_output;    /* name -> symbol, counted from 1 */
  struct map site_of;               /* statement -> site */
  uint32_t unlabelled;              /* constraints without a label */
};

struct flat_visible { /* a name that an import without `as` brings */
  struct flat_file *file;
  struct flat_symbol *symbol;
  const struct ast_statement *statement; /* the import */
};

struct flat_file {
  const struct ast *ast;
  const char *prefix; /* of its names in the flat tree */
  struct flat_names names;
  VECTOR(struct flat_visible) visible; /* [0] unused */
  struct map visible_by_name;
  uint32_t index;                     /* into f->files */
  bool is_model, is_library, has_gap; /* gap: an import failed; unknown names are silent */
  struct flat_use *use;
};

struct flat_component {
  const struct ast_statement *statement;
  struct flat_file *file;
  struct flat_names names;
  uint8_t *is_early;       /* per formal: its value is needed at compile time */
  bool is_broken, is_used; /* used: some instance is of it */
  uint32_t depth;
  double statements; /* all that it writes out */
};

struct flat_actual { /* what a formal is in one use */
  const struct flat_env *env;
  ast_expr e; /* 0: nothing, which was reported (or the body is only looked at) */
  struct span span;
  bool is_default;
  uint8_t purity; /* 0 unknown, 1 pure, 2 not, 3 being found out */
};

struct flat_use { /* of a component by an instance statement; or of a file as a whole */
  uint32_t id;    /* into f->uses */
  const struct flat_site *site;     /* NULL: the file, or a body that nothing uses */
  struct flat_component *component; /* NULL: the file */
  struct flat_file *file;
  const struct flat_env *around; /* what the instance stands in */
  struct flat_env env;           /* inside */
  const char *prefix;
  uint32_t source; /* the view of the component's file; 0: as written */
  struct flat_lead *leads;
  uint32_t lead_count;
  struct ast_segment *path;
  uint32_t path_count;
  struct flat_actual *actuals; /* per formal */
  struct map starts;           /* name of a coordinate -> argument (an expression in around->ast) */
  uint32_t unlabelled;
  bool is_broken;
};

struct flat_task { /* see flatten_expression.c */
  uint8_t kind;
  ast_expr e;
  uint32_t count;
  const struct flat_env *env;
  const char *name;
  struct span span;
};

struct flattening {
  dyn_context *context;
  struct imports imports;
  VECTOR(struct flat_file *) files;
  VECTOR(struct flat_component *) components;
  VECTOR(struct flat_use *) uses;
  struct map use_of; /* use and site -> uses, counted from 1 */
  struct flat_use *model;
  struct ast *out;
  VECTOR(struct ast_statement *) statements; /* of the blocks that are being written */
  VECTOR(struct flat_symbol *) needed;       /* of imported files, to be written out */
  uint32_t done;                             /* of them are */
  uint32_t written;                          /* statements */
  bool is_exhausted; /* a limit was met, and reported: what is made is not whole */
  bool is_trial;     /* what is made will be thrown away */
  bool is_quiet;     /* nothing is reported */
  /* for one expression */
  VECTOR(struct flat_task) tasks;
  VECTOR(ast_expr) values;
  VECTOR(ast_expr) chain;           /* a name with its members and indices, from the top */
  VECTOR(struct flat_lead) indices; /* of the reference that was found last */
  uint32_t purity_depth;
  struct map reported; /* unknown names: once for each file */
};

static inline const struct ast_expression *flat_node(const struct flat_env *env, ast_expr e) {
  return ast_expression(env->ast, e);
}

/* ---- flatten_names.c */
void flat_collect_file(struct flattening *f, struct flat_file *file);
void flat_collect_component(struct flattening *f, struct flat_component *component);
/* What imports bring, and clashes of it. */
void flat_see_imports(struct flattening *f);
/* Which component each instance is of. */
void flat_find_components(struct flattening *f);
struct flat_symbol *flat_names_find(const struct flat_names *names, const char *name);
/* What a name means inside a component (or NULL) of a file: its own, the file's, what it imports;
 * NULL: nothing that is declared. */
struct flat_symbol *flat_find_symbol(const struct flat_component *component,
                                     const struct flat_file *file, const char *name);
/* Reports names that can't be declared. */
void flat_check_predeclared(struct flattening *f, const char *name, struct span span);
struct flat_local *flat_push_local(struct flattening *f, const struct flat_local *outer,
                                   const char *name);
/* True if some expression of the list names one of the locals. */
bool flat_mentions(const struct ast *ast, struct ast_list list, const struct flat_local *locals);
void flat_names_free(struct flat_names *names);

/* ---- flatten_component.c */
/* Orders components by what they contain; breaks those that contain themselves; sets depth,
 * statements and is_early. */
void flat_check_components(struct flattening *f);

/* ---- flatten_instance.c */
struct flat_use *flat_use_of_file(struct flattening *f, struct flat_file *file);
/* A body that nothing uses: to look for faults in it. */
struct flat_use *flat_use_of_body(struct flattening *f, struct flat_component *component);
/* The use that an instance statement in `outer` makes; the same one for the same question. Check
 * is_broken. */
struct flat_use *flat_use_of_site(struct flattening *f, struct flat_use *outer,
                                  const struct flat_site *site);
/* All uses inside of this one; false if a limit was met. */
bool flat_make_uses(struct flattening *f, struct flat_use *use);
/* The name of an instance's index. */
const char *flat_index_name(struct flattening *f, const struct flat_use *outer,
                            const struct flat_site *site, uint32_t index);

/* ---- flatten_argument.c */
/* Which argument is for which formal, or for the start value of which coordinate. */
void flat_match_arguments(struct flattening *f, struct flat_use *use);
/* Kinds of what is given; when all uses are known. */
void flat_check_arguments(struct flattening *f, struct flat_use *use);

/* ---- flatten_reference.c */
enum flat_reference_kind {
  FLAT_BROKEN,   /* reported, or known to be */
  FLAT_NAME,     /* `name`, with f->indices */
  FLAT_GIVEN,    /* what a frame or body formal stands for: given_e in given_env */
  FLAT_INSTANCE, /* an instance (or an element of one) itself */
  FLAT_MODULE,
};
struct flat_reference {
  enum flat_reference_kind kind;
  const char *name;
  struct flat_symbol *symbol; /* NULL: a local, or predeclared */
  enum name_kind predeclared; /* NAME_NONE: it is not */
  struct flat_use *use;       /* that a formal belongs to, or the instance itself */
  const struct flat_site *site;
  ast_expr given_e;
  const struct flat_env *given_env;
  uint32_t used; /* nodes of f->chain, from its end */
};
/* Looks at the name at the bottom of e, with as many members and indices as belong to the
 * reference; f->chain holds the nodes, e first. False if there is no name at the bottom. */
bool flat_resolve(struct flattening *f, const struct flat_env *env, ast_expr e,
                  struct flat_reference *out);
/* The function that a call at e is of, by its name in the flat tree: f->indices are its first
 * arguments. *function: NULL for a built-in one. NULL: reported. */
const char *flat_resolve_call(struct flattening *f, const struct flat_env *env, ast_expr e,
                              struct flat_symbol **function);
/* The name of an index or argument in the flat tree: its own, unless something outside that is
 * visible is called so. */
const char *flat_local_name(struct flattening *f, const struct flat_use *use, const char *name);
/* The name of what the body (or file) of the use declares. */
const char *flat_member_name(struct flattening *f, const struct flat_use *use, const char *name);

/* ---- flatten_purity.c */
/* True if the actual of the formal is made of numbers, constants and parameters only. */
bool flat_is_pure(struct flattening *f, struct flat_use *use, uint32_t formal);
/* The first node of e whose value is certainly not known at compile time; 0: none. */
ast_expr flat_find_late(struct flattening *f, const struct flat_env *env, ast_expr e,
                        enum name_kind *kind);

/* ---- flatten_expression.c */
/* The copy of an expression; 0 of 0. */
ast_expr flat_expression(struct flattening *f, const struct flat_env *env, ast_expr e);
struct ast_list flat_list(struct flattening *f, const struct flat_env *env, struct ast_list list);
/* The first `leads` indices of the surroundings, then those of the list. */
struct ast_list flat_indices(struct flattening *f, const struct flat_env *env, uint32_t leads,
                             struct ast_list list);
ast_expr flat_leaf(struct flattening *f, enum ast_expr_kind kind, const char *name,
                   struct span span);
struct span flat_place(const struct flat_use *use, struct span span);

/* ---- flatten_statement.c */
/* Writes out a block; what it makes is pushed to f->statements. */
void flat_write_block(struct flattening *f, const struct flat_env *env,
                      struct ast_statement *const *items, uint32_t count);
/* The declaration of a const, parameter or function of an imported file. */
struct ast_statement *flat_write_symbol(struct flattening *f, const struct flat_symbol *symbol);
struct ast_statement *flat_copy_statement(struct flattening *f, const struct flat_env *env,
                                          const struct ast_statement *s);

/* ---- flatten_words.c */
void flat_report_unknown(struct flattening *f, const struct flat_env *env, const char *name,
                         struct span span, bool is_function);
void flat_report_member(struct flattening *f, const struct flat_env *env,
                        const struct flat_reference *base, const struct ast_expression *n);
void flat_report_valueless(struct flattening *f, const struct flat_env *env,
                           const struct flat_reference *reference, struct span span);
void flat_report_large(struct flattening *f, struct span span, const char *what);
/* `f.spring`, and no import is called f: false if no import could be meant either. */
bool flat_help_module(struct flattening *f, struct diagnostic *d, const struct flat_file *file,
                      const char *module, const char *member);
/* "a point", "an instance" */
const char *flat_kind_words(struct flattening *f, enum name_kind kind);
#endif
