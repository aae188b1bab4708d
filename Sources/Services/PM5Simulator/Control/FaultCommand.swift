import PM5Codec

/// Something to go wrong, or to be told, on request.
enum FaultCommand: Equatable {
    case state
    /// The monitor ends the link; it advertises again after `back` seconds, at once without.
    case drop(back: Double?)
    /// The monitor is switched off: nothing is said, and it stays off without `back`.
    case vanish(back: Double?)
    /// The next links die as they are made (0x3e).
    case refuse(count: Int)
    /// The next Connect calls fail without a link.
    case abort(count: Int)
    /// Connected, and silent.
    case hang(on: Bool)
    case advertise(on: Bool)
    /// Random bytes, `count` values of 1 to 20 bytes.
    case garbage(CharacteristicID, count: Int)
    case send(CharacteristicID, bytes: [UInt8])
    /// The next notifications are lost on the air.
    case lose(count: Int)
    case mute(CharacteristicID, on: Bool)
    /// ServicesResolved comes before the objects; nil for the usual order.
    case delayServices(seconds: Double?)
    /// AcquireNotify answers NotSupported.
    case refuseAcquireNotify(on: Bool)
    /// A value that comes before the answer to each subscription; none for empty bytes.
    case early(CharacteristicID, bytes: [UInt8])
    /// A value directly behind the answer to each subscription; none for empty bytes.
    case prompt(CharacteristicID, bytes: [UInt8])
    /// Another firmware whose attributes have other handles; the monitor restarts with it.
    case updateFirmware(String)
    /// The rower stops for some simulated seconds.
    case pause(seconds: Double)
    case removeAdapter(String)
    /// Back under the same or another name: numbers can change when an adapter is plugged in.
    case restoreAdapter(String, as: String?)
    /// rfkill: off, and not to be switched on.
    case blockAdapter(String, on: Bool)
    /// The controller carries out no command until it is switched off and on.
    case freezeAdapter(String)
    /// Whether a Connect that finds the adapter full is told so, or never answered.
    case reportLimit(String, on: Bool)
    /// A scan that its client left behind and nobody can end (bluez#2547).
    case leaveScan(String)
    case powerAdapter(String, on: Bool)
    /// bluetoothd is told to stop, and started again.
    case restartService
    /// It dies without a word, and is started again after so many seconds.
    case killService(back: Double)

    /// What `init(_:)` understands, for a help text.
    static let syntax = """
        {"cmd":"state"}                          what every monitor and adapter is at
        {"cmd":"drop","back":5}                  the monitor ends the link
        {"cmd":"vanish","back":5}                the monitor is switched off
        {"cmd":"refuse","n":2}                   the next links die as they are made
        {"cmd":"abort","n":8}                    the next Connect calls fail
        {"cmd":"hang","on":true}                 connected, and silent
        {"cmd":"advertise","on":false}           not to be found
        {"cmd":"garbage","id":"35","n":10}       random bytes on a characteristic
        {"cmd":"send","id":"31","hex":"00"}      one value
        {"cmd":"lose","n":12}                    the next values are lost on the air
        {"cmd":"mute","id":"33","on":true}       a characteristic goes silent
        {"cmd":"delay_services","ms":400}        services before their objects; 0: after
        {"cmd":"refuse_acquire","on":true}       AcquireNotify is not supported
        {"cmd":"early","id":"31","hex":"00"}     a value before the subscription is
        {"cmd":"prompt","id":"31","hex":"00"}    a value the moment it is
        {"cmd":"update_firmware","to":"8200-000409-217.067"} other handles
        {"cmd":"pause","s":20}                   the rower stops for simulated seconds
        {"cmd":"remove_adapter","hci":"hci1"}
        {"cmd":"restore_adapter","hci":"hci1","as":"hci0"}    "as": another number
        {"cmd":"freeze_adapter","hci":"hci0"}    does nothing until switched off and on
        {"cmd":"tell_limit","hci":"hci0","on":true}    a full adapter says that it is
        {"cmd":"leave_scan","hci":"hci0"}        discovering till it is switched off
        {"cmd":"block_adapter","hci":"hci0","on":true}          as rfkill does
        {"cmd":"power_adapter","hci":"hci0","on":false}
        {"cmd":"restart_service"}                org.bluez goes and comes back
        {"cmd":"kill_service","back":1}          the same without a word
        "pm":N names one monitor; without it a command goes to every monitor.
        """

    /// A request of `syntax`; nil when it lacks something or has something of the wrong type.
    init?(_ request: FlatJSON) {
        let on = request.flag("on")
        let id = request.text("id").flatMap(Self.characteristic)
        let back = request.number("back")
        let hci = request.text("hci")
        let bytes = request.text("hex").flatMap(hexadecimalBytes)
        let count = request.integer("n") ?? 1
        guard (0...10_000).contains(count), (back ?? 0) >= 0,
            request.members["n"] == nil || request.integer("n") != nil
        else { return nil }
        switch (request.text("cmd"), on, id, hci) {
        case ("state", _, _, _): self = .state
        case ("drop", _, _, _): self = .drop(back: back)
        case ("vanish", _, _, _): self = .vanish(back: back)
        case ("refuse", _, _, _): self = .refuse(count: count)
        case ("abort", _, _, _): self = .abort(count: count)
        case ("hang", let on?, _, _): self = .hang(on: on)
        case ("advertise", let on?, _, _): self = .advertise(on: on)
        case ("garbage", _, let id?, _): self = .garbage(id, count: count)
        case ("send", _, let id?, _):
            guard let bytes else { return nil }
            self = .send(id, bytes: bytes)
        case ("lose", _, _, _): self = .lose(count: count)
        case ("mute", let on?, let id?, _): self = .mute(id, on: on)
        case ("delay_services", _, _, _):
            guard let delay = request.number("ms"), delay >= 0 else { return nil }
            self = .delayServices(seconds: delay > 0 ? delay / 1000 : nil)
        case ("refuse_acquire", let on?, _, _): self = .refuseAcquireNotify(on: on)
        case ("early", _, let id?, _):
            guard let bytes else { return nil }
            self = .early(id, bytes: bytes)
        case ("prompt", _, let id?, _):
            guard let bytes else { return nil }
            self = .prompt(id, bytes: bytes)
        case ("update_firmware", _, _, _):
            guard let version = request.text("to"), !version.isEmpty else { return nil }
            self = .updateFirmware(version)
        case ("remove_adapter", _, _, let hci?): self = .removeAdapter(hci)
        case ("restore_adapter", _, _, let hci?):
            self = .restoreAdapter(hci, as: request.text("as"))
        case ("freeze_adapter", _, _, let hci?): self = .freezeAdapter(hci)
        case ("tell_limit", let on?, _, let hci?): self = .reportLimit(hci, on: on)
        case ("leave_scan", _, _, let hci?): self = .leaveScan(hci)
        case ("block_adapter", let on?, _, let hci?): self = .blockAdapter(hci, on: on)
        case ("pause", _, _, _):
            guard let seconds = request.number("s"), (0...36_000).contains(seconds) else {
                return nil
            }
            self = .pause(seconds: seconds)
        case ("power_adapter", let on?, _, let hci?): self = .powerAdapter(hci, on: on)
        case ("restart_service", _, _, _): self = .restartService
        case ("kill_service", _, _, _): self = .killService(back: back ?? 1)
        default: return nil
        }
    }

    /// `35`, `0x35`.
    private static func characteristic(_ text: String) -> CharacteristicID? {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        return UInt16(digits, radix: 16).map { CharacteristicID(rawValue: $0) }
    }
}

/// The bytes of hexadecimal text, two digits each; nil for anything else.
func hexadecimalBytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
        UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
    }
    let whole = bytes.compactMap { $0 }
    return whole.count == bytes.count ? whole : nil
}
