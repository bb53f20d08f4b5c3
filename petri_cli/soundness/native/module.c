/* The core for Python: one type, Space, over struct space. Stable ABI of Python 3.11. What the methods mean is said in
 * _core.pyi; who calls them is space.py. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "marking.h"

/* Raised when the two sides of this file no longer understand each other; binding.py has the same number. */
#define INTERFACE 2

typedef struct {
    PyObject_HEAD
    struct space *space;
    int busy; /* the interpreter lock is released while a search runs */
} Object;

/* ---- arguments and results ---------------------------------------------------------------------------------- */

static struct space *ready(PyObject *self) {
    Object *o = (Object *)self;
    if (!o->busy) return o->space;
    PyErr_SetString(PyExc_RuntimeError, "another thread is searching this space");
    return NULL;
}

static struct space *at_state(PyObject *self, PyObject *arg, uint32_t *state) {
    struct space *s = ready(self);
    if (!s) return NULL;
    unsigned long n = PyLong_AsUnsignedLong(arg);
    if (n == (unsigned long)-1 && PyErr_Occurred()) return NULL;
    if (n < s->store.size) {
        *state = (uint32_t)n;
        return s;
    }
    PyErr_SetString(PyExc_IndexError, "no such state");
    return NULL;
}

/* A buffer of so many numbers; it is left to the caller to release. */
static const int64_t *numbers_of(Py_buffer *buffer, size_t n) {
    if (buffer->len == (Py_ssize_t)(n * sizeof(int64_t))) return buffer->buf;
    PyErr_SetString(PyExc_ValueError, "not as many numbers as there are places");
    return NULL;
}

static PyObject *list_of(const uint32_t *at, size_t n) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *number = PyLong_FromUnsignedLong(at[i]);
        if (!number) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SetItem(list, (Py_ssize_t)i, number);
    }
    return list;
}

static PyObject *tuple_of(const int64_t *at, size_t n) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)n);
    for (size_t i = 0; tuple && i < n; i++) {
        PyObject *number = PyLong_FromLongLong(at[i]);
        if (!number) {
            Py_DECREF(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, (Py_ssize_t)i, number);
    }
    return tuple;
}

static PyObject *number_or_none(uint32_t n) {
    if (n == NONE) Py_RETURN_NONE;
    return PyLong_FromUnsignedLong(n);
}

static PyObject *raise(enum status why) {
    switch (why) {
    case OVERFLOWED:
    case TOO_WIDE:
        PyErr_SetString(PyExc_OverflowError, "a place holds more tokens than its field has room for");
        break;
    case NO_MEMORY:
        PyErr_NoMemory();
        break;
    default:
        PyErr_SetString(PyExc_ValueError, "these numbers tell no net");
    }
    return NULL;
}

/* ---- the type ----------------------------------------------------------------------------------------------- */

static PyObject *space_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    Py_buffer told, floors;
    long long most;
    int reduced;
    static char *names[] = {"told", "floors", "reduced", "most", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "y*y*pL", names, &told, &floors, &reduced, &most)) return NULL;
    enum status why = MALFORMED;
    struct space *space = NULL;
    if (most >= 0 && (told.len | floors.len) % (Py_ssize_t)sizeof(int64_t) == 0)
        space = space_open(told.buf, (size_t)told.len / sizeof(int64_t), floors.buf,
                           (size_t)floors.len / sizeof(int64_t), reduced, (size_t)most, &why);
    PyBuffer_Release(&told);
    PyBuffer_Release(&floors);
    if (!space) return raise(why);
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Object *self = (Object *)alloc(type, 0);
    if (self)
        self->space = space;
    else
        space_close(space);
    return (PyObject *)self;
}

static void space_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    space_close(((Object *)self)->space);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* ---- searching ---------------------------------------------------------------------------------------------- */

static PyObject *advance(PyObject *self, PyObject *args) {
    unsigned long long limit, steps;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "KK", &limit, &steps)) return NULL;
    enum status status;
    ((Object *)self)->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    status = space_advance(s, limit, steps);
    Py_END_ALLOW_THREADS;
    ((Object *)self)->busy = 0;
    return PyLong_FromLong(status);
}

static PyObject *search(PyObject *self, PyObject *args,
                        enum status (*how)(struct space *, uint64_t, uint64_t, uint32_t *)) {
    unsigned long long limit, steps;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "KK", &limit, &steps)) return NULL;
    enum status status;
    uint32_t found = NONE;
    ((Object *)self)->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    status = how(s, limit, steps, &found);
    Py_END_ALLOW_THREADS;
    ((Object *)self)->busy = 0;
    return Py_BuildValue("iN", (int)status, number_or_none(found));
}

static PyObject *near_deadlock(PyObject *self, PyObject *args) { return search(self, args, deadlock_near); }
static PyObject *deep_deadlock(PyObject *self, PyObject *args) { return search(self, args, deadlock_deep); }

static PyObject *backwards(PyObject *self, PyObject *args) {
    Py_buffer good;
    unsigned long long steps;
    int begin;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "w*Kp", &good, &steps, &begin)) return NULL;
    if (good.len != (Py_ssize_t)s->store.size) {
        PyBuffer_Release(&good);
        PyErr_SetString(PyExc_ValueError, "not as many marks as there are states");
        return NULL;
    }
    enum status status;
    ((Object *)self)->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    if (begin) space_forget_backwards(s);
    status = space_backwards(s, good.buf, steps);
    Py_END_ALLOW_THREADS;
    ((Object *)self)->busy = 0;
    PyBuffer_Release(&good);
    return PyLong_FromLong(status);
}

/* ---- looking ------------------------------------------------------------------------------------------------ */

static PyObject *state(PyObject *self, PyObject *arg) {
    uint32_t i;
    struct space *s = at_state(self, arg, &i);
    if (!s) return NULL;
    int64_t *counts = PyMem_Malloc(s->net.places ? s->net.places * sizeof *counts : 1);
    if (!counts) return PyErr_NoMemory();
    net_unpack(&s->net, space_marking(s, i), counts);
    PyObject *tuple = tuple_of(counts, s->net.places);
    PyMem_Free(counts);
    return tuple;
}

/* The packed form of a buffer of counts, to be freed with PyMem_Free; *fits is false when there is none. */
static word *packed(struct space *s, Py_buffer *buffer, bool *fits) {
    const int64_t *counts = numbers_of(buffer, s->net.places);
    if (!counts) return NULL;
    word *marking = PyMem_Malloc(s->net.words ? s->net.words * sizeof *marking : 1);
    if (!marking) return (word *)PyErr_NoMemory();
    *fits = net_pack(&s->net, counts, marking);
    return marking;
}

static PyObject *find(PyObject *self, PyObject *args) {
    Py_buffer counts;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "y*", &counts)) return NULL;
    bool fits;
    word *marking = packed(s, &counts, &fits);
    PyBuffer_Release(&counts);
    if (!marking) return NULL;
    uint32_t found = fits ? store_find(&s->store, marking, hash_of(marking, s->net.words)) : NONE;
    PyMem_Free(marking);
    return number_or_none(found);
}

static PyObject *beyond(PyObject *self, PyObject *args) {
    Py_buffer low;
    unsigned int start, end;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "y*II", &low, &start, &end)) return NULL;
    bool fits;
    word *marking = packed(s, &low, &fits);
    PyBuffer_Release(&low);
    if (!marking) return NULL;
    uint32_t found = fits ? space_beyond(s, marking, start, end) : NONE;
    PyMem_Free(marking);
    return number_or_none(found);
}

static PyObject *outside(PyObject *self, PyObject *args) {
    Py_buffer places;
    int marked, at_rest;
    unsigned long long least, most;
    unsigned int start, end;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "y*ppKKII", &places, &marked, &at_rest, &least, &most, &start, &end)) return NULL;
    struct window w = {places.buf, (size_t)places.len / sizeof(int64_t), marked, at_rest, least, most};
    bool known = true;
    for (size_t i = 0; i < w.size; i++) known = known && w.places[i] >= 0 && w.places[i] < s->net.places;
    uint32_t found = NONE;
    enum status status = known ? space_outside(s, &w, start, end, &found) : MALFORMED;
    PyBuffer_Release(&places);
    return status == COMPLETE || status == FOUND ? number_or_none(found) : raise(status);
}

static PyObject *pump(PyObject *self, PyObject *args) {
    unsigned int start, end;
    uint32_t below, above;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "II", &start, &end)) return NULL;
    if (!space_pump(s, start, end, &below, &above)) Py_RETURN_NONE;
    return Py_BuildValue("II", below, above);
}

static PyObject *most(PyObject *self, PyObject *args) {
    unsigned int start, end;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "II", &start, &end)) return NULL;
    int64_t *counts = PyMem_Calloc(s->net.places ? s->net.places : 1, sizeof *counts);
    if (!counts) return PyErr_NoMemory();
    space_most(s, start, end, counts);
    PyObject *tuple = tuple_of(counts, s->net.places);
    PyMem_Free(counts);
    return tuple;
}

static PyObject *parent(PyObject *self, PyObject *arg) {
    uint32_t i;
    struct space *s = at_state(self, arg, &i);
    return s ? PyLong_FromUnsignedLong(space_parent(s, i)) : NULL;
}

static PyObject *run_to(PyObject *self, PyObject *arg) {
    uint32_t i;
    struct space *s = at_state(self, arg, &i);
    if (!s) return NULL;
    size_t n = 0;
    for (uint32_t k = i; k; k = space_parent(s, k)) n++;
    PyObject *run = PyTuple_New((Py_ssize_t)n);
    for (; run && i; i = space_parent(s, i)) {
        PyObject *number = PyLong_FromUnsignedLong(space_by(s, i));
        if (!number) {
            Py_DECREF(run);
            return NULL;
        }
        PyTuple_SetItem(run, (Py_ssize_t)--n, number);
    }
    return run;
}

static PyObject *rests(PyObject *self, PyObject *args) {
    unsigned long start;
    struct space *s = ready(self);
    if (!s || !PyArg_ParseTuple(args, "k", &start)) return NULL;
    return start >= s->rests.size ? PyList_New(0) : list_of(s->rests.at + start, s->rests.size - start);
}

static PyObject *places_outgrown(PyObject *self, PyObject *unused) {
    (void)unused;
    struct space *s = ready(self);
    return s ? list_of(s->outgrown.at, s->outgrown.size) : NULL;
}

static PyObject *is_dead(PyObject *self, PyObject *arg) {
    uint32_t i;
    struct space *s = at_state(self, arg, &i);
    return s ? PyBool_FromLong(space_is_dead(s, i)) : NULL;
}

static PyObject *fired(PyObject *self, PyObject *unused) {
    (void)unused;
    struct space *s = ready(self);
    if (!s) return NULL;
    size_t n = ((size_t)s->net.actions + 7) / 8;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n);
    char *at = bytes ? PyBytes_AsString(bytes) : NULL;
    for (size_t i = 0; at && i < n; i++) at[i] = (char)(s->fired[i / 8] >> (i % 8 * 8) & 0xFF);
    return bytes;
}

static PyObject *successors(PyObject *self, PyObject *arg) {
    uint32_t i;
    struct space *s = at_state(self, arg, &i);
    if (!s) return NULL;
    struct numbers targets = {0};
    enum status status = space_successors(s, i, &targets);
    PyObject *list = status == COMPLETE ? list_of(targets.at, targets.size) : raise(status);
    drop(&s->memory, &targets);
    return list;
}

/* ---- figures ------------------------------------------------------------------------------------------------ */

static PyObject *get_size(PyObject *self, void *unused) {
    (void)unused;
    struct space *s = ready(self);
    return s ? PyLong_FromUnsignedLong(s->store.size) : NULL;
}

static PyObject *get_expanded(PyObject *self, void *unused) {
    (void)unused;
    struct space *s = ready(self);
    return s ? PyLong_FromUnsignedLong(s->expanded) : NULL;
}

static PyObject *get_edges(PyObject *self, void *unused) {
    (void)unused;
    struct space *s = ready(self);
    return s ? PyLong_FromUnsignedLongLong(s->edges) : NULL;
}

static PyObject *get_full(PyObject *self, void *unused) {
    (void)unused;
    struct space *s = ready(self);
    return s ? PyBool_FromLong(s->full) : NULL;
}

static PyObject *get_held(PyObject *self, void *unused) {
    (void)unused;
    struct space *s = ready(self);
    return s ? PyLong_FromSize_t(s->memory.used) : NULL;
}

static PyMethodDef methods[] = {
    {"advance", advance, METH_VARARGS, NULL},
    {"near_deadlock", near_deadlock, METH_VARARGS, NULL},
    {"deep_deadlock", deep_deadlock, METH_VARARGS, NULL},
    {"backwards", backwards, METH_VARARGS, NULL},
    {"state", state, METH_O, NULL},
    {"find", find, METH_VARARGS, NULL},
    {"beyond", beyond, METH_VARARGS, NULL},
    {"outside", outside, METH_VARARGS, NULL},
    {"pump", pump, METH_VARARGS, NULL},
    {"most", most, METH_VARARGS, NULL},
    {"parent", parent, METH_O, NULL},
    {"run_to", run_to, METH_O, NULL},
    {"rests", rests, METH_VARARGS, NULL},
    {"outgrown", places_outgrown, METH_NOARGS, NULL},
    {"is_dead", is_dead, METH_O, NULL},
    {"fired", fired, METH_NOARGS, NULL},
    {"successors", successors, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef figures[] = {
    {"size", get_size, NULL, NULL, NULL},         {"expanded", get_expanded, NULL, NULL, NULL},
    {"edges", get_edges, NULL, NULL, NULL},       {"full", get_full, NULL, NULL, NULL},
    {"held", get_held, NULL, NULL, NULL},       {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, space_new},
    {Py_tp_dealloc, space_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, figures},
    {0, NULL},
};

static PyType_Spec spec = {"petri_cli.soundness.native._core.Space", sizeof(Object), 0, Py_TPFLAGS_DEFAULT, slots};

static int fill(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type) return -1;
    int failed = PyModule_AddObjectRef(module, "Space", type);
    Py_DECREF(type);
    return failed ? -1 : PyModule_AddIntConstant(module, "INTERFACE", INTERFACE);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, fill}, {0, NULL}};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_size = 0,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
