/* The scanners for Python. Stable ABI of Python 3.11. What the functions mean is said in _scan.pyi. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

/* Raised when the two sides of this file no longer understand each other; binding.py has the same number. */
#define INTERFACE 1

typedef struct {
    PyObject_HEAD
    struct columns columns;
    struct table table;
    struct xes xes;
    struct bytes held; /* what was fed and not taken yet */
    PyObject *keys;    /* owns the bytes of xes.keys */
    bool is_xes, refused, told; /* told: a column was taken, so that nothing can come behind it */
} Object;

static const unsigned char nothing[1];

static text start_of(const Py_buffer *buffer) { return buffer->buf ? buffer->buf : nothing; }

static bool keyed(struct hashing *hashing, const char *secret, Py_ssize_t size) {
    if (size != sizeof hashing->key) {
        PyErr_SetString(PyExc_ValueError, "a secret has 16 bytes");
        return false;
    }
    memcpy(hashing->key, secret, sizeof hashing->key);
    return true;
}

/* ---- making one --------------------------------------------------------------------------------------------- */

/* kinds: a letter for each column: n names, N names that no event lacks, t times. */
static bool with_columns(Object *o, const char *kinds, Py_ssize_t n, const char *secret, Py_ssize_t secret_size,
                         long long unknown) {
    if (n < 1 || n > MOST_COLUMNS) {
        PyErr_SetString(PyExc_ValueError, "too many columns, or none");
        return false;
    }
    o->columns.n = (int)n;
    o->columns.unknown = unknown;
    for (Py_ssize_t c = 0; c < n; c++) {
        o->columns.of[c].kind = kinds[c] == 't' ? TIMES : NAMES;
        o->columns.of[c].needed = kinds[c] == 'N';
    }
    return keyed(&o->columns.hashing, secret, secret_size);
}

/* places: the cell of each column. */
static bool for_table(Object *o, PyObject *places, int delimiter, long width) {
    if (width < 1 || width > 100000 || delimiter < 1 || delimiter > 127 || delimiter == '"' || delimiter == '\n' ||
        delimiter == '\r') {
        PyErr_SetString(PyExc_ValueError, "no such table");
        return false;
    }
    o->table.delimiter = (unsigned char)delimiter;
    o->table.width = (uint32_t)width;
    o->table.column_of = malloc((size_t)width * sizeof *o->table.column_of);
    if (!o->table.column_of) {
        PyErr_NoMemory();
        return false;
    }
    for (long i = 0; i < width; i++) o->table.column_of[i] = NONE;
    for (int c = 0; c < o->columns.n; c++) {
        PyObject *item = PyTuple_GetItem(places, c);
        long place = item ? PyLong_AsLong(item) : -1;
        if (place == -1 && PyErr_Occurred()) return false;
        if (place < 0 || place >= width || o->table.column_of[place] != NONE) {
            PyErr_SetString(PyExc_ValueError, "a cell for each column");
            return false;
        }
        o->table.column_of[place] = c;
    }
    return true;
}

/* keys: of the attribute of each column. */
static bool for_xes(Object *o, PyObject *keys) {
    o->is_xes = true;
    o->keys = Py_NewRef(keys);
    for (int c = 0; c < o->columns.n; c++) {
        char *key;
        Py_ssize_t size;
        PyObject *item = PyTuple_GetItem(keys, c);
        if (!item || PyBytes_AsStringAndSize(item, &key, &size) < 0) return false;
        o->xes.keys[c] = (struct key){(text)key, (size_t)size};
    }
    if (o->columns.of[0].kind != NAMES) {
        PyErr_SetString(PyExc_ValueError, "the first column is that of cases");
        return false;
    }
    o->xes.depth = 1;
    if (add_bytes(&o->xes.open, (text) "log", 3)) return true;
    PyErr_NoMemory();
    return false;
}

static PyObject *scanner_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const char *kinds, *secret;
    Py_ssize_t n, secret_size;
    long long unknown;
    PyObject *places;
    int delimiter = 0;
    long width = 0;
    static char *names[] = {"kinds", "places", "secret", "unknown", "delimiter", "width", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#O!y#L|il", names, &kinds, &n, &PyTuple_Type, &places, &secret,
                                     &secret_size, &unknown, &delimiter, &width))
        return NULL;
    if (PyTuple_Size(places) != n) {
        PyErr_SetString(PyExc_ValueError, "a place for each column");
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Object *o = (Object *)alloc(type, 0);
    if (!o) return NULL;
    if (with_columns(o, kinds, n, secret, secret_size, unknown) &&
        (delimiter ? for_table(o, places, delimiter, width) : for_xes(o, places)))
        return (PyObject *)o;
    Py_DECREF(o);
    return NULL;
}

static void let_go(Object *o) {
    drop_columns(&o->columns);
    free(o->table.column_of);
    free(o->table.unquoted.at);
    free(o->xes.open.at);
    free(o->xes.name.at);
    free(o->xes.decoded.at);
    free(o->held.at);
    o->table = (struct table){0};
    o->xes = (struct xes){0};
    o->held = (struct bytes){0};
    Py_CLEAR(o->keys);
}

static void scanner_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    let_go((Object *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* ---- scanning ----------------------------------------------------------------------------------------------- */

static enum status scanned(Object *o, text at, size_t size, bool final) {
    if (!add_bytes(&o->held, at, size)) return NO_MEMORY;
    if (final && !o->is_xes && o->held.size && o->held.at[o->held.size - 1] != '\n')
        if (!add_bytes(&o->held, (text) "\n", 1)) return NO_MEMORY;
    size_t taken = 0;
    text from = o->held.at ? o->held.at : nothing;
    enum status status = o->is_xes ? scan_xes(&o->xes, &o->columns, from, o->held.size, final, &taken)
                                   : scan_table(&o->table, &o->columns, from, o->held.size, final, &taken);
    if (status != GOOD) return status;
    o->held.size -= taken;
    if (o->held.size > LONGEST) return IRREGULAR;
    if (taken && o->held.size) memmove(o->held.at, o->held.at + taken, o->held.size);
    return GOOD;
}

static PyObject *feed(PyObject *self, PyObject *args) {
    Object *o = (Object *)self;
    Py_buffer piece;
    int final;
    if (!PyArg_ParseTuple(args, "y*p", &piece, &final)) return NULL;
    if (o->told) {
        PyBuffer_Release(&piece);
        PyErr_SetString(PyExc_ValueError, "columns were taken already");
        return NULL;
    }
    enum status status = o->refused ? IRREGULAR : scanned(o, start_of(&piece), (size_t)piece.len, final);
    PyBuffer_Release(&piece);
    if (status == GOOD) Py_RETURN_TRUE;
    o->refused = true;
    let_go(o);
    if (status == NO_MEMORY) return PyErr_NoMemory();
    Py_RETURN_FALSE;
}

static struct column *column_at(PyObject *self, PyObject *arg) {
    Object *o = (Object *)self;
    long c = PyLong_AsLong(arg);
    if (c == -1 && PyErr_Occurred()) return NULL;
    if (!o->refused && c >= 0 && c < o->columns.n) return &o->columns.of[c];
    PyErr_SetString(PyExc_IndexError, "no such column");
    return NULL;
}

static PyObject *column(PyObject *self, PyObject *arg) {
    struct column *column = column_at(self, arg);
    if (!column) return NULL;
    const void *at = column->kind == TIMES ? (const void *)column->ticks.at : column->codes.at;
    size_t size = column->kind == TIMES ? column->ticks.size * sizeof *column->ticks.at
                                        : column->codes.size * sizeof *column->codes.at;
    PyObject *told = PyBytes_FromStringAndSize(at ? at : "", (Py_ssize_t)size);
    if (!told) return NULL;
    ((Object *)self)->told = true;
    free(column->ticks.at);
    free(column->codes.at);
    column->ticks = (struct ticks){0};
    column->codes = (struct codes){0};
    return told;
}

static PyObject *names(PyObject *self, PyObject *arg) {
    struct column *column = column_at(self, arg);
    PyObject *list = column ? PyList_New((Py_ssize_t)column->names.size) : NULL;
    for (size_t k = 0; list && k < column->names.size; k++) {
        size_t size;
        text at = name_at(&column->names, k, &size);
        PyObject *name = PyUnicode_DecodeUTF8((const char *)at, (Py_ssize_t)size, "strict");
        if (!name) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)k, name);
    }
    return list;
}

static PyObject *any(PyObject *self, PyObject *arg) {
    struct column *column = column_at(self, arg);
    return column ? PyBool_FromLong(column->any) : NULL;
}

static PyObject *get_events(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(((Object *)self)->columns.events);
}

/* ---- order and variants -------------------------------------------------------------------------------------- */

static PyObject *order(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer case_of, ended;
    long n_cases;
    long long unknown;
    if (!PyArg_ParseTuple(args, "y*y*lL", &case_of, &ended, &n_cases, &unknown)) return NULL;
    size_t events = (size_t)case_of.len / sizeof(int32_t), mixed = 0;
    PyObject *bounds = NULL, *picked = NULL, *told = NULL;
    enum status status = IRREGULAR;
    bool moved = false;
    if (n_cases >= 0 && n_cases < MOST_EVENTS && events < MOST_EVENTS &&
        (!ended.len || (size_t)ended.len == events * sizeof(int64_t))) {
        bounds = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((size_t)(n_cases + 1) * sizeof(int64_t)));
        picked = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(events * sizeof(int32_t)));
        status = !bounds || !picked ? NO_MEMORY
                                    : in_order((const int32_t *)start_of(&case_of), ended.len ? ended.buf : NULL, events,
                                               (size_t)n_cases, unknown, (int64_t *)PyBytes_AsString(bounds),
                                               (int32_t *)PyBytes_AsString(picked), &mixed, &moved);
    }
    PyBuffer_Release(&case_of);
    PyBuffer_Release(&ended);
    if (status == GOOD)
        told = Py_BuildValue("(OOn)", bounds, moved ? picked : Py_None, (Py_ssize_t)mixed);
    else if (status == NO_MEMORY)
        PyErr_NoMemory();
    else
        PyErr_SetString(PyExc_ValueError, "cases and times don't fit each other");
    Py_XDECREF(bounds);
    Py_XDECREF(picked);
    return told;
}

static PyObject *picked(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer column, which;
    Py_ssize_t each;
    if (!PyArg_ParseTuple(args, "y*y*n", &column, &which, &each)) return NULL;
    size_t n = (size_t)which.len / sizeof(int32_t), size = each > 0 && each <= 8 ? (size_t)column.len / (size_t)each : 0;
    const int32_t *at = (const int32_t *)start_of(&which);
    bool good = each > 0 && each <= 8;
    for (size_t i = 0; good && i < n; i++) good = at[i] >= 0 && (size_t)at[i] < size;
    PyObject *told = good ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n * (size_t)each)) : NULL;
    if (!good) PyErr_SetString(PyExc_IndexError, "no such event");
    if (told) {
        char *into = PyBytes_AsString(told);
        const char *from = (const char *)start_of(&column);
        switch (each) {
        case 4:
            for (size_t i = 0; i < n; i++) memcpy(into + 4 * i, from + 4 * (size_t)at[i], 4);
            break;
        case 8:
            for (size_t i = 0; i < n; i++) memcpy(into + 8 * i, from + 8 * (size_t)at[i], 8);
            break;
        default:
            for (size_t i = 0; i < n; i++) memcpy(into + (size_t)each * i, from + (size_t)each * (size_t)at[i], (size_t)each);
        }
    }
    PyBuffer_Release(&column);
    PyBuffer_Release(&which);
    return told;
}

static PyObject *variants(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer activity, bounds;
    const char *secret;
    Py_ssize_t secret_size;
    struct hashing hashing;
    if (!PyArg_ParseTuple(args, "y*y*y#", &activity, &bounds, &secret, &secret_size)) return NULL;
    size_t events = (size_t)activity.len / sizeof(int32_t), n = (size_t)bounds.len / sizeof(int64_t), found = 0;
    const int64_t *at = bounds.buf;
    PyObject *variant_of = NULL, *first = NULL, *told = NULL;
    bool good = n >= 1 && n < MOST_EVENTS && at[0] >= 0 && (size_t)at[n - 1] <= events;
    for (size_t i = 1; good && i < n; i++) good = at[i - 1] <= at[i];
    if (!good)
        PyErr_SetString(PyExc_ValueError, "these are no bounds");
    else if (keyed(&hashing, secret, secret_size)) {
        variant_of = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((n - 1) * sizeof(int32_t)));
        first = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((n - 1) * sizeof(int32_t)));
        if (variant_of && first) {
            if (variants_of((const int32_t *)start_of(&activity), at, n - 1, &hashing,
                            (int32_t *)PyBytes_AsString(variant_of), (int32_t *)PyBytes_AsString(first), &found) == GOOD)
                told = Py_BuildValue("(Oy#)", variant_of, PyBytes_AsString(first),
                                     (Py_ssize_t)(found * sizeof(int32_t)));
            else
                PyErr_NoMemory();
        }
    }
    Py_XDECREF(variant_of);
    Py_XDECREF(first);
    PyBuffer_Release(&activity);
    PyBuffer_Release(&bounds);
    return told;
}

/* ---- the module ---------------------------------------------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"feed", feed, METH_VARARGS, NULL},
    {"column", column, METH_O, NULL},
    {"names", names, METH_O, NULL},
    {"any", any, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef figures[] = {{"events", get_events, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_new, scanner_new}, {Py_tp_dealloc, scanner_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, figures},
    {0, NULL},
};

static PyType_Spec spec = {"petri_cli.formats.native._scan.Scanner", sizeof(Object), 0, Py_TPFLAGS_DEFAULT, slots};

static PyMethodDef functions[] = {
    {"order", order, METH_VARARGS, NULL},
    {"picked", picked, METH_VARARGS, NULL},
    {"variants", variants, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int fill(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type) return -1;
    int failed = PyModule_AddObjectRef(module, "Scanner", type);
    Py_DECREF(type);
    return failed ? -1 : PyModule_AddIntConstant(module, "INTERFACE", INTERFACE);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, fill}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_scan",
    .m_size = 0,
    .m_methods = functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__scan(void) { return PyModuleDef_Init(&definition); }
