import Bytes
import Timeline

extension TimeStamp {
    /// - Parameter boot: boot time to write even if the clock is synchronised.
    package func write(into json: inout JSONWriter, boot: BootTime? = nil) {
        let boot = boot ?? unsynchronized
        json.field("ts_ms", unixMilliseconds)
        json.field("time", CivilTime(unixMilliseconds: unixMilliseconds).rfc3339)
        json.field("clock", unsynchronized == nil ? "synced" : "unsynced")
        json.field("boot_id", boot?.bootID)
        json.field("boot_ms", boot?.bootMilliseconds)
    }
}
