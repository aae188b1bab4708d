/// Combines the profiles of two athlete ids that are one person, and takes that back.
package enum ProfileMerge {
    /// The fields that the kept profile takes from the other one if it has no value. The short name belongs to the
    /// name, so it is not among them.
    private static let details: [AthleteField] = [
        .gender, .birthYear, .weightClass, .weight, .power2k, .power6k, .beltID,
    ]

    /// Returns the kept profile with the values that it does not have from the other one, and with both notes. A
    /// person who is active with one id is not archived. An id without a profile takes the whole other one.
    ///
    /// Throws if both notes together are too long for one.
    package static func merged(
        _ kept: AthleteProfile?, id: String, with other: AthleteProfile?
    ) throws(PeopleFault) -> AthleteProfile? {
        guard let other else { return kept }
        guard let kept else { return try AthleteProfile(id: id) { other[$0] } }
        let note = try note(kept.note, other.note)
        return try AthleteProfile(id: id) { field in
            switch field {
            case .note: note
            case .isArchived: kept.isArchived && other.isArchived ? "true" : ""
            default: kept[field].isEmpty && details.contains(field) ? other[field] : kept[field]
            }
        }
    }

    private static func note(_ kept: String?, _ other: String?) throws(PeopleFault) -> String {
        guard let kept else { return other ?? "" }
        guard let other, other != kept else { return kept }
        let note = "\(kept)\n\(other)"
        guard note.count <= AthleteProfile.maximumNoteLength else {
            throw PeopleFault(
                "both notes have \(note.count) characters together",
                "a note has at most \(AthleteProfile.maximumNoteLength); shorten one of them first",
                field: AthleteField.note.rawValue)
        }
        return note
    }

    /// The fields that `merged` has changed.
    package static func changedFields(_ former: AthleteProfile?, _ merged: AthleteProfile?) -> [AthleteField]
    {
        AthleteField.allCases.filter { $0 != .id && (merged?[$0] ?? "") != (former?[$0] ?? "") }
    }

    /// Takes a merge back: fields that the merge changed and nobody since get their former values again. nil if the
    /// athlete had no profile before the merge, and nobody changed the one that the merge created.
    ///
    /// - Parameters:
    ///   - current: the profile now; nil if it was removed.
    ///   - former: the profile before the merge, and `merged` after it.
    ///   - other: the profile of the merged id.
    package static func restored(
        _ current: AthleteProfile?, former: AthleteProfile?, merged: AthleteProfile?,
        without other: AthleteProfile?
    ) throws(PeopleFault) -> AthleteProfile? {
        guard let current else { return nil }
        if former == nil, current == merged { return nil }
        let changed = Set(changedFields(former, merged))
        return try AthleteProfile(id: current.id) { field in
            guard changed.contains(field) else { return current[field] }
            let isUnchanged = current[field] == merged?[field]
            switch field {
            case .name where former == nil: return current.name
            case .note where !isUnchanged:
                return removing(lines(other?.note), from: lines(current.note)).joined(separator: "\n")
            default: return isUnchanged ? former?[field] ?? "" : current[field]
            }
        }
    }

    private static func lines(_ note: String?) -> [Substring] {
        note?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
    }

    /// Removes the last occurrence of consecutive lines.
    private static func removing(_ part: [Substring], from lines: [Substring]) -> [Substring] {
        guard !part.isEmpty, lines.count >= part.count else { return lines }
        for start in (0...lines.count - part.count).reversed()
        where Array(lines[start..<start + part.count]) == part {
            return Array(lines[..<start] + lines[(start + part.count)...])
        }
        return lines
    }
}
