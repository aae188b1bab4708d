import Contract

extension Checkup {
    /// That of Debian bookworm, the oldest release that the package is for.
    private static let oldestVersion = [5, 66]

    static func bluetooth(_ facts: HostFacts) -> [Finding] {
        let bluetooth = facts.bluetooth
        if let failure = bluetooth.failure {
            return [
                Finding(
                    .bluetoothd, .bluetooth, failure,
                    remedy: bluetooth.isBusMissing
                        ? "sudo systemctl start dbus" : "sudo systemctl enable --now bluetooth")
            ]
        }
        return [version(bluetooth.version)] + adapters(bluetooth.adapters)
            + [slots(facts)].compactMap(\.self) + relays(facts) + [wireless(facts)].compactMap(\.self)
    }

    // MARK: - Relays

    /// Sends notifications to each phone separately.
    private static let relayVersion = [5, 72]

    /// Checks what relays to phones need: their adapters, and bluetoothd as a server.
    private static func relays(_ facts: HostFacts) -> [Finding] {
        guard case .valid(let settings, _) = facts.configuration else { return [] }
        let names = settings.texts("bluetooth.relay_adapters")
        guard !names.isEmpty else { return [] }
        return names.map { relay($0, facts) } + server(facts.bluetooth)
    }

    private static func relay(_ name: String, _ facts: HostFacts) -> Finding {
        guard let adapter = relayAdapters([name], facts).first else {
            return .warn(
                .relay, "adapter \(name) is missing, so no phone finds the relay",
                remedy: "plug it in, or correct relay_adapters; for the adapters: bluetoothctl list")
        }
        let text = "\(adapter.name) \(adapter.address) is reserved for a phone"
        // The check of the adapters reports one that is off.
        guard case .running(let status) = facts.service,
            let relay = status.relays?.first(where: { $0.adapter == name }), let problem = relay.problem
        else { return .ok(.relay, text) }
        return .warn(
            .relay, "bluetoothd refuses the relay on \(adapter.name): \(problem)",
            remedy: "sudo systemctl restart bluetooth; then: journalctl -u bluetooth")
    }

    private static func relayAdapters(
        _ names: [String], _ facts: HostFacts
    ) -> [BluetoothFacts.Adapter] {
        facts.bluetooth.adapters.filter { names.contains($0.name) || names.contains($0.address) }
    }

    /// bluetoothd discovers the services of a phone that connects, and asks it to pair if they are
    /// protected. A dual-mode adapter offers phones the other transport, unless it is switched off.
    private static func server(_ bluetooth: BluetoothFacts) -> [Finding] {
        var findings: [Finding] = []
        let version = (bluetooth.version ?? "").split(separator: ".").compactMap { Int($0) }
        if !version.isEmpty, version.lexicographicallyPrecedes(relayVersion) {
            findings.append(
                .warn(
                    .relay,
                    "bluetoothd before 5.72 sends all phones the same values; this is "
                        + "\(bluetooth.version ?? "")",
                    remedy: "upgrade to Debian 13 for relays"))
        }
        for (option, value, reason) in [
            ("ReverseServiceDiscovery", "false", "phones may be asked to pair"),
            ("ControllerMode", "le", "some phones connect to the wrong transport"),
        ] where bluetooth.options[option] != value {
            findings.append(
                .warn(
                    .relay, "\(option) is not \(value), so \(reason)",
                    remedy: "sudo /usr/lib/rowgate/set-up-relays sets it in /etc/bluetooth/main.conf"))
        }
        return findings
    }

    private static func version(_ version: String?) -> Finding {
        guard let version else { return .ok(.bluetoothd, "runs, version unknown") }
        let parts = version.split(separator: ".").compactMap { Int($0) }
        return parts.lexicographicallyPrecedes(oldestVersion)
            ? .warn(
                .bluetoothd, "version \(version) is older than 5.66, that of Debian bookworm",
                remedy: "sudo apt update; sudo apt install bluez")
            : .ok(.bluetoothd, "version \(version)")
    }

    private static func adapters(_ adapters: [BluetoothFacts.Adapter]) -> [Finding] {
        if adapters.isEmpty {
            return [
                Finding(
                    .adapter, .noAdapter, "there is none",
                    remedy: "plug one in, or enable the onboard one in /boot/firmware/config.txt")
            ]
        }
        // One of several that is off leaves the others, as the gateway judges too.
        let works = adapters.contains { $0.isPowered && !$0.isBlocked }
        let code: HealthProblem.Code = works ? .adapter : .noAdapter
        return adapters.map { adapter in
            let name = "\(adapter.name) \(adapter.address)"
            if adapter.isBlocked {
                return Finding(
                    .adapter, code, "\(name) is blocked by rfkill",
                    remedy: "sudo rfkill unblock bluetooth")
            }
            if !adapter.isPowered {
                return Finding(
                    .adapter, code, "\(name) is switched off",
                    remedy: "sudo busctl set-property org.bluez /org/bluez/\(adapter.name) "
                        + "org.bluez.Adapter1 Powered b true")
            }
            return .ok(.adapter, "\(name) is on, \(adapter.isOnboard ? "onboard" : "on USB")")
        }
    }

    /// Checks whether the radios have a link for every erg. Their limits are learnt or configured.
    private static func slots(_ facts: HostFacts) -> Finding? {
        guard case .valid(let settings, _) = facts.configuration, settings.ergs > 0 else {
            return nil
        }
        guard let room = linkLimit(facts, settings) else {
            return .ok(.slots, "\(settings.ergs) ergs; the link limit of the adapters is not known yet")
        }
        let text = "\(settings.ergs) ergs, room for \(room) links"
        return room < settings.ergs
            ? .warn(.slots, text, remedy: "plug in another Bluetooth adapter (USB)")
            : .ok(.slots, text)
    }

    private static func linkLimit(_ facts: HostFacts, _ settings: EffectiveSettings) -> Int? {
        let reserved = relayAdapters(settings.texts("bluetooth.relay_adapters"), facts)
        let adapters = facts.bluetooth.adapters.filter { $0.isPowered && !reserved.contains($0) }
        if let each = settings.number("bluetooth.slots") { return each * adapters.count }
        guard case .running(let status) = facts.service else { return nil }
        let limits = status.adapters.filter(\.isPowered).map(\.slotsTotal)
        guard !limits.isEmpty, !limits.contains(nil) else { return nil }
        return limits.compactMap(\.self).reduce(0, +)
    }

    /// The onboard radio of a Pi does Wi-Fi and Bluetooth in turns, with one antenna.
    private static func wireless(_ facts: HostFacts) -> Finding? {
        let onboard = facts.bluetooth.adapters.contains { $0.isOnboard && $0.isPowered }
        guard let busy = facts.wireless.first(where: { (2400...2500).contains($0.megahertz) })
        else {
            return facts.wireless.first.map {
                .ok(.wireless, "\($0.interface) is on 5 GHz or more")
            }
        }
        let text = "\(busy.interface) is on 2.4 GHz (\(busy.megahertz) MHz)"
        return onboard
            ? .warn(
                .wireless, text + " and shares its radio with Bluetooth",
                remedy: "use a cable, Wi-Fi on 5 GHz, or a Bluetooth adapter on USB")
            : .ok(.wireless, text + ", next to a separate Bluetooth adapter")
    }
}
