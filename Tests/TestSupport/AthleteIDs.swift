/// Texts that are athlete ids, and texts that are not: every place that reads an id is tested with them.
package enum AthleteIDs {
    package static let valid = [
        "a", "anna", "Anna_17", "a.b", "...", "a-17", "-", "anna@club.example", "a+b", "50%", "#1",
        "x=y&z?",
        "'~!$^`{|}<>()*[]:", String(repeating: "A", count: 64),
    ]
    package static let invalid = [
        "", " ", "a b", "a/b", "a,b", "a;b", "a\"b", "a\\b", ".", "..", "j\u{FC}rgen", "a\u{7F}",
        "a\n",
        "\u{1}", String(repeating: "a", count: 65),
    ]
}
