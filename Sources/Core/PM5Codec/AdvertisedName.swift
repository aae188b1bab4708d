/// The local name a PM5 advertises: `PM5 430070439`, newer firmware `PM5 431000001 Row`.
///
/// Only the prefix identifies a PM5. The machine suffix is a hint, because older firmware has none
/// (cagnulein/qdomyos-zwift#1856); 0x0016 and 0x0032 have the machine type after connecting.
package struct AdvertisedName: Hashable, Sendable {
    /// The machine according to the suffix of the name.
    package enum MachineHint: String, Hashable, Sendable, CaseIterable {
        case row = "Row"
        case ski = "Ski"
        case bike = "Bike"
    }

    /// Nine ASCII digits, as in 0x0012.
    package let serial: String
    /// Nil on older firmware and for unknown suffixes.
    package let machineHint: MachineHint?

    /// Creates a name to advertise; does not check `serial`.
    package init(serial: String, machineHint: MachineHint?) {
        self.serial = serial
        self.machineHint = machineHint
    }

    /// Returns nil unless the name is `PM5 `, nine digits, and nothing or a space and more text.
    package init?(_ localName: String) {
        let words = localName.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == "PM5", words[1].utf8.count == 9,
            words[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        serial = String(words[1])
        machineHint = words.count == 3 ? MachineHint(rawValue: String(words[2])) : nil
    }

    /// The name as advertised.
    package var text: String {
        "PM5 " + serial + (machineHint.map { " " + $0.rawValue } ?? "")
    }
}
