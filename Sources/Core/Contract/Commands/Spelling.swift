/// Finds the intended name for a mistyped one.
package enum Spelling {
    /// Returns the candidate nearest to `word`; nil if all need more than one edit per three letters.
    /// Ignores case, and the difference between `-` and `_`.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let folded = fold(word)
        let ranked = candidates.map { (distance(folded, fold($0)), $0) }
        guard let best = ranked.min(by: { $0 < $1 }) else { return nil }
        return best.0 <= max(1, word.count / 3) ? best.1 : nil
    }

    private static func fold(_ word: String) -> [Character] {
        word.lowercased().map { $0 == "-" ? "_" : $0 }
    }

    /// The optimal string alignment distance: edits (insert, delete, replace, swap neighbours) between
    /// two words.
    package static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let same = left[row] == right[column]
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (same ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
