/// An adapter of the simulated machine.
package struct AdapterPlan: Equatable, Sendable {
    let name: String
    /// Links its controller can hold: 7 on a Pi, 5 on many dongles.
    let linkLimit: Int

    /// `hci0`, as the kernel names adapters.
    static func isName(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("hci") && (1...3).contains(text.utf8.dropFirst(3).count)
            && text.utf8.dropFirst(3).allSatisfy { (0x30...0x39).contains($0) }
    }

    /// `hci0:7,hci1:5`; nil when it is anything else.
    package static func list(parsing text: String) -> [AdapterPlan]? {
        let plans = text.split(separator: ",", omittingEmptySubsequences: false).map {
            part -> AdapterPlan? in
            let words = part.split(separator: ":", omittingEmptySubsequences: false)
            guard words.count == 2, isName(words[0]),
                let limit = Int(words[1]), (1...64).contains(limit)
            else { return nil }
            return AdapterPlan(name: String(words[0]), linkLimit: limit)
        }
        let whole = plans.compactMap { $0 }
        let names = Set(whole.map(\.name))
        return whole.count == plans.count && names.count == whole.count ? whole : nil
    }
}
