import Bytes

/// A name for a browser, so that its user finds it in a list: `iPhone, Safari`.
enum DeviceName {
    /// - Parameter agent: The value of `User-Agent`, from any client.
    static func of(agent: String) -> String {
        let text = String(agent.prefix(512))
        func name(in names: [(part: String, name: String)]) -> String? {
            names.first { text.contains($0.part) }?.name
        }
        let found = [name(in: systems), name(in: browsers)].compactMap(\.self)
        return found.isEmpty ? "Unknown browser" : found.joined(separator: ", ")
    }

    /// The more special first: Android names Linux too.
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "Chromebook"),
        ("Windows", "Windows"), ("Macintosh", "Mac"), ("Linux", "Linux"),
    ].map { (part: $0.0, name: $0.1) }

    /// Chrome names Safari too, and Edge names both.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("FxiOS", "Firefox"),
        ("Firefox", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"),
    ].map { (part: $0.0, name: $0.1) }
}
