/// The meaning of a piece of output; terminals may show it as a colour.
package enum Tint: Equatable, Sendable {
    case plain, heading, good, warning, bad, faint
}

/// One line of output, in pieces.
package struct StyledLine: Equatable, Sendable {
    package struct Span: Equatable, Sendable {
        package var text: String
        package var tint: Tint
    }

    var spans: [Span]

    /// Control characters become "?", because text of a peer must not control the terminal.
    package init(_ text: String = "", _ tint: Tint = .plain) {
        let visible = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? "?" : String(scalar)
        }
        spans = text.isEmpty ? [] : [Span(text: visible.joined(), tint: tint)]
    }

    /// A sentence on lines of at most `width` characters, broken between words; those after the
    /// first are indented.
    package static func paragraph(
        _ text: String, width: Int, _ tint: Tint = .plain
    ) -> [StyledLine] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(lines.isEmpty ? String(word) : "  " + word)
            }
        }
        return lines.map { StyledLine($0, tint) }
    }

    /// One line behind the other, each in its style.
    package static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        var line = left
        line.spans += right.spans
        return line
    }

    package var width: Int { spans.reduce(0) { $0 + $1.text.count } }

    /// The first `width` characters.
    package func clipped(to width: Int) -> StyledLine {
        var line = StyledLine()
        var room = width
        for span in spans where room > 0 {
            line.spans.append(Span(text: String(span.text.prefix(room)), tint: span.tint))
            room -= span.text.count
        }
        return line
    }

    /// The line as written to the terminal, without a line break.
    package func rendered(inColour: Bool) -> String {
        let text = spans.map { span in
            let code = inColour ? span.tint.code : nil
            return code.map { "\u{1B}[\($0)m\(span.text)\u{1B}[0m" } ?? span.text
        }.joined()
        return inColour ? text : text.withoutTrailingSpaces
    }
}

extension Tint {
    /// Select Graphic Rendition (ECMA-48, 8.3.117): the eight colours that every terminal has.
    fileprivate var code: String? {
        switch self {
        case .plain: nil
        case .heading: "1"
        case .good: "32"
        case .warning: "33"
        case .bad: "31"
        case .faint: "2"
        }
    }
}

extension String {
    fileprivate var withoutTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension [StyledLine] {
    /// All lines, each with its line break.
    package func rendered(inColour: Bool) -> String {
        map { $0.rendered(inColour: inColour) + "\n" }.joined()
    }

    /// One frame of a live display: drawn over the last one, so that nothing flickers.
    ///
    /// Lines and columns beyond the terminal's size are left out, and the last line says how many
    /// lines. The last column stays empty: many terminals, asked there to erase the rest of the
    /// line, erase the character in it.
    package func frame(width: Int, height: Int, inColour: Bool) -> String {
        let visible = cut(to: height).map { line in
            line.clipped(to: Swift.max(0, width - 1)).rendered(inColour: inColour) + "\u{1B}[K"
        }
        return "\u{1B}[H" + visible.joined(separator: "\n") + "\u{1B}[J"
    }

    private func cut(to height: Int) -> [StyledLine] {
        guard count > height, height > 1 else { return Array(prefix(height)) }
        let hidden = count - height + 1
        return prefix(height - 1)
            + [StyledLine("\(hidden) more lines; make the window taller", .faint)]
    }
}
