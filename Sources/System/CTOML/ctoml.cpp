#include "ctoml.h"

#include <string>
#include <string_view>
#include <vector>

// Only the parser is wanted: the formatters double the object code.
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 asserts that the key of a table header begins like one before it checks just that and
// reports it: `[=` would abort, or with NDEBUG be undefined. Without the assertion it is an error.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

struct ctoml_document {
    // Owns the bytes that `values` point to.
    toml::table root;
    std::vector<ctoml_value> values;
    std::string error;
    ctoml_position error_position{};
};

namespace {

ctoml_text text_of(std::string_view text) { return {text.data(), text.size()}; }

ctoml_position position_of(const toml::source_region &region) {
    return {region.begin.line, region.begin.column};
}

void append(ctoml_document &document, const toml::node &node, ctoml_value value);

void append_children(ctoml_document &document, const toml::node &node, int64_t parent) {
    if (const toml::table *table = node.as_table()) {
        for (auto &&[key, child] : *table) {
            ctoml_value value{};
            value.parent = parent;
            value.key = text_of(key.str());
            value.key_position = position_of(key.source());
            append(document, child, value);
        }
    } else if (const toml::array *array = node.as_array()) {
        for (const toml::node &child : *array) {
            ctoml_value value{};
            value.parent = parent;
            value.key_position = position_of(child.source());
            append(document, child, value);
        }
    }
}

// Recursion is as deep as the text nests: toml++ refuses more than TOML_MAX_NESTED_VALUES (256)
// arrays and inline tables, and 3.4 as many dotted keys; the file is its administrator's own.
void append(ctoml_document &document, const toml::node &node, ctoml_value value) {
    value.position = position_of(node.source());
    switch (node.type()) {
    case toml::node_type::table:
        value.kind = CTOML_TABLE;
        break;
    case toml::node_type::array:
        value.kind = CTOML_ARRAY;
        break;
    case toml::node_type::string:
        value.kind = CTOML_STRING;
        value.string = text_of(node.as_string()->get());
        break;
    case toml::node_type::integer:
        value.kind = CTOML_INTEGER;
        value.integer = node.as_integer()->get();
        break;
    case toml::node_type::floating_point:
        value.kind = CTOML_FLOAT;
        value.floating = node.as_floating_point()->get();
        break;
    case toml::node_type::boolean:
        value.kind = CTOML_BOOLEAN;
        value.boolean = node.as_boolean()->get();
        break;
    default:
        value.kind = CTOML_DATE_TIME;
        break;
    }
    const auto index = static_cast<int64_t>(document.values.size());
    document.values.push_back(value);
    append_children(document, node, index);
}

} // namespace

ctoml_document *ctoml_parse(const char *bytes, size_t length) {
    auto *document = new ctoml_document;
    toml::parse_result result = toml::parse(std::string_view(bytes, length));
    if (!result) {
        document->error = result.error().description();
        document->error_position = position_of(result.error().source());
        return document;
    }
    document->root = std::move(result).table();
    ctoml_value root{};
    root.parent = -1;
    append(*document, document->root, root);
    return document;
}

void ctoml_free(ctoml_document *document) { delete document; }

ctoml_text ctoml_error(const ctoml_document *document) { return text_of(document->error); }

ctoml_position ctoml_error_position(const ctoml_document *document) {
    return document->error_position;
}

size_t ctoml_count(const ctoml_document *document) { return document->values.size(); }

ctoml_value ctoml_value_at(const ctoml_document *document, size_t index) {
    return document->values[index];
}
