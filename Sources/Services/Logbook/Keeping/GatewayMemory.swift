import Bytes
import Contract
import LogbookStores

/// Which words of gateways are worth a write to the disk: what says something new at once, and that a
/// gateway still says the same every five minutes. A value without a clock.
struct GatewayMemory: Sendable {
    /// Between two words of a gateway that say the same.
    static let pause: Int64 = 5 * 60_000

    private struct Place: Hashable {
        let gateway: GatewayID
        let kind: GatewayWord.Kind
    }

    private var kept: [Place: GatewayWord] = [:]

    /// Of the present words those that are to be stored; they count as stored then.
    ///
    /// - Parameter isLast: whatever is newer than what is stored.
    mutating func news(of words: [GatewayWord], isLast: Bool = false) -> [GatewayWord] {
        var present: [Place: GatewayWord] = [:]
        var news: [GatewayWord] = []
        for word in words {
            let place = Place(gateway: word.gateway, kind: word.kind)
            let before = kept[place]
            let isNews = before.map { Self.isNews(word, after: $0, isLast) } ?? true
            if isNews { news.append(word) }
            present[place] = isNews ? word : before
        }
        kept = present
        return news
    }

    private static func isNews(
        _ word: GatewayWord, after before: GatewayWord, _ isLast: Bool
    ) -> Bool {
        if word == before { return false }
        if isLast || word.heardAt - before.heardAt >= pause { return true }
        switch word.kind {
        case .availability, .birth: return word.payload != before.payload
        // Its figures are never twice the same, and sentences count seconds.
        case .health: return Self.essence(word) != Self.essence(before)
        }
    }

    private static func essence(_ health: GatewayWord) -> [String] {
        guard let fields = try? JSONObject(parsing: health.payload) else { return [] }
        guard case .list(let reasons)? = fields["reasons"] else {
            return [fields.text("status") ?? ""]
        }
        return [fields.text("status") ?? "", "\(reasons.count)"]
    }
}
