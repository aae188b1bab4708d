import Contract

/// Ids from names, and the comparison of names that ignores case and accents.
package enum AthleteNaming {
    /// A new athlete id from a name: `amara-okafor`. If it is used already: `amara-okafor-2`. A name without
    /// Latin letters gives `athlete-1`.
    package static func id(for name: String, isUsed: (String) -> Bool) -> String {
        newID(stem: slug(of: name), instead: "athlete", isUsed)
    }

    /// A new id of a group from its name.
    package static func groupID(for name: String, isUsed: (String) -> Bool) -> String {
        newID(stem: slug(of: name), instead: "group", isUsed)
    }

    /// A new id of a user from a name.
    package static func userID(for name: String, isUsed: (String) -> Bool) -> String {
        newID(stem: slug(of: name), instead: "user", isUsed)
    }

    /// Returns the name of a person without surrounding white space. Throws for a name that no athlete may have
    /// (`AthleteProfile`).
    package static func personName(_ text: String) throws(PeopleFault) -> String {
        try PeopleText.name(text, AthleteProfile.maximumNameLength, field: "name")
    }

    private static func newID(stem: String, instead: String, _ isUsed: (String) -> Bool) -> String {
        if !stem.isEmpty, !isUsed(stem) { return stem }
        var number = stem.isEmpty ? 1 : 2
        while true {
            let end = "-\(number)"
            let candidate = (stem.isEmpty ? instead : stem).prefix(Slug.maximumLength - end.utf8.count) + end
            if !isUsed(String(candidate)) { return String(candidate) }
            number += 1
        }
    }

    /// The letters and digits of a name in lower case, joined by `-`; at most the length of a slug.
    private static func slug(of name: String) -> String {
        var slug = ""
        for character in folded(name) {
            if character.isASCII, character.isLetter || character.isNumber {
                slug.append(character)
            } else if !isPartOfWord(character), slug.last != "-", !slug.isEmpty {
                slug.append("-")
            }
        }
        slug = String(slug.prefix(Slug.maximumLength))
        while slug.last == "-" { slug.removeLast() }
        return slug
    }

    /// O'Brien becomes `obrien`.
    private static func isPartOfWord(_ character: Character) -> Bool {
        character == "'" || character == "\u{2019}" || character.isLetter
    }

    /// The text in lower case without accents, for searching. Letters of other scripts stay.
    package static func folded(_ text: String) -> String {
        var folded = ""
        for scalar in text.lowercased().unicodeScalars {
            if scalar.properties.generalCategory == .nonspacingMark { continue }
            if let letters = latin(scalar) { folded += letters } else { folded.unicodeScalars.append(scalar) }
        }
        return folded
    }

    /// The plain letters of a Latin letter with an accent; nil for other characters.
    private static func latin(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\u{DF}": return "ss"
        case "\u{E6}": return "ae"
        case "\u{153}": return "oe"
        case "\u{FE}": return "th"
        case "\u{133}": return "ij"
        default: break
        }
        for (first, letters) in blocks {
            let index = Int(scalar.value) - first
            guard letters.indices.contains(index) else { continue }
            let letter = letters[index]
            return letter == UInt8(ascii: ".") ? nil : String(Unicode.Scalar(letter))
        }
        return nil
    }

    /// The base letters of Latin-1 from U+00E0, of Latin Extended-A, and of Latin Extended Additional
    /// (Unicode 15, UnicodeData.txt). A dot is a character without a base letter.
    private static let blocks: [(first: Int, letters: [UInt8])] = [
        (0xE0, Array("aaaaaa.ceeeeiiiidnooooo.ouuuuy.y".utf8)),
        (
            0x100,
            Array(
                ("aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkkkllllllllllnnnnnnnnnoooooo..rrrrrr"
                    + "ssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs").utf8)
        ),
        (
            0x1E00,
            Array(
                ("aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppp"
                    + "rrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwyas").utf8)
        ),
        (
            0x1EA0,
            Array(
                ("aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy")
                    .utf8)
        ),
    ]
}

/// The names of athletes in output for people.
package struct AthleteNames: Sendable {
    private let names: [String: String]
    /// The ids of athletes without a namesake, by the folded name.
    private let ids: [String: String]

    /// - Parameter merged: the ids into which other ids were merged, by these.
    package init(_ profiles: [AthleteProfile] = [], merged: [String: String] = [:]) {
        let namesakes = Dictionary(grouping: profiles) { AthleteNaming.folded($0.name) }
        var names = Dictionary(
            profiles.map { profile in
                let isOnly = namesakes[AthleteNaming.folded(profile.name)]?.count == 1
                return (profile.id, isOnly ? profile.name : "\(profile.name) (\(profile.id))")
            }, uniquingKeysWith: { first, _ in first })
        for (id, current) in merged { names[id] = names[current] }
        self.names = names
        ids = namesakes.compactMapValues { $0.count == 1 ? $0[0].id : nil }
    }

    /// The name of an athlete; nil without a profile.
    package func known(_ id: String) -> String? { names[id] }

    /// The only athlete with a name, in any case and with or without accents; nil if there is none, or more than one.
    package func id(named name: String) -> String? { ids[AthleteNaming.folded(name)] }

    /// The name of an athlete, with the id if others have the same name; the id of an athlete without a profile.
    package subscript(id: String) -> String { names[id] ?? id }
}
