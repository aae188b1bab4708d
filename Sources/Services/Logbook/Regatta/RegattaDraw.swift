/// Draws the entries of an event into heats and lanes.
enum RegattaDraw {
    enum Method: String, CaseIterable, Sendable {
        /// By seed time in a serpentine: the fastest entries meet in the final only. Of four heats, the first has the
        /// seeds 1, 8 and 9, the second 2, 7 and 10.
        case serpentine
        /// By seed time, the fastest entries together in the last heat.
        case fastestLast = "fastest_last"
        /// By lot.
        case lot
    }

    /// Returns the lanes of each heat. The heats are as few and as equal as possible. Entries without a seed time come
    /// behind those with one.
    ///
    /// - Parameters:
    ///   - lanes: The number of lanes; at least one.
    ///   - random: Returns random numbers, for the lot and for entries without a seed time.
    static func heats(
        of entries: [RegattaEntry], _ method: Method, lanes: Int, random: () -> UInt64
    ) -> [[String?]] {
        guard !entries.isEmpty else { return [] }
        let shuffled = shuffled(entries, random)
        let order = method == .lot ? shuffled : bySeed(shuffled)
        let count = (order.count + lanes - 1) / lanes
        var heats: [[RegattaEntry]] = Array(repeating: [], count: count)
        switch method {
        case .serpentine:
            for (index, entry) in order.enumerated() {
                let (row, column) = index.quotientAndRemainder(dividingBy: count)
                heats[row % 2 == 0 ? column : count - 1 - column].append(entry)
            }
        case .fastestLast, .lot:
            // The first of `order` are in the last heat.
            var rest = order[...]
            for index in heats.indices.reversed() {
                let size = order.count / count + (index >= count - order.count % count ? 1 : 0)
                heats[index] = Array(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
        }
        return heats.map { self.lanes(for: $0.map(\.id), of: lanes) }
    }

    /// Returns the lanes of one heat: the first entry in the middle, the next ones beside it in turn.
    static func lanes(for entries: [String], of count: Int) -> [String?] {
        var lanes: [String?] = Array(repeating: nil, count: count)
        for (entry, lane) in zip(entries, middleFirst(count)) { lanes[lane] = entry }
        return lanes
    }

    /// The lanes from the middle outwards: 3, 4, 2, 5, 1, 6 of six lanes, counted from 0 here.
    private static func middleFirst(_ count: Int) -> [Int] {
        let middle = (count - 1) / 2
        return (0..<count).map { index in
            index % 2 == 0 ? middle - index / 2 : middle + (index + 1) / 2
        }.filter { (0..<count).contains($0) }
    }

    private static func bySeed(_ entries: [RegattaEntry]) -> [RegattaEntry] {
        let order = entries.indices.sorted { left, right in
            let (one, other) = (
                entries[left].seedCentiseconds ?? .max, entries[right].seedCentiseconds ?? .max
            )
            return one == other ? left < right : one < other
        }
        return order.map { entries[$0] }
    }

    private static func shuffled(_ entries: [RegattaEntry], _ random: () -> UInt64) -> [RegattaEntry] {
        var entries = entries
        for index in entries.indices.dropLast() {
            let other = index + Int(random() % UInt64(entries.count - index))
            entries.swapAt(index, other)
        }
        return entries
    }
}
