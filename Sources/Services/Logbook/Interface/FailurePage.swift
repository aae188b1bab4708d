import WebPages
import WebServer

/// The error page for browsers: a page without scripts, in English or German.
enum FailurePage {
    /// Returns the page as UTF-8.
    static func html(of failure: WebFailure) -> [UInt8] {
        let request = failure.request
        let appearance = PageAppearance(for: request)
        let isGerman = appearance.language == .german
        let strings = strings(of: failure, isGerman)
        let look = request.query.filter { $0.name == "lang" || $0.name == "theme" }
        // A guest with a link to a group result may open nothing else.
        let isShared = request.path.hasPrefix("/shared/")
        var links = isShared ? [] : [(WebRequest.address("/wall", look), isGerman ? "Tafel" : "Wall")]
        if failure.status == 401 || failure.status == 403 {
            let place = LogbookRouter.signIn(before: request.path, request.query)
            links.append((place, isGerman ? "Anmelden" : "Sign in"))
        }
        let list = links.map { "<a href=\"\(HTML.escaped($0.0))\">\($0.1)</a>" }
        let paragraph = list.isEmpty ? "" : "<p>\(list.joined(separator: " \u{b7} "))</p>\n"
        let page = """
            <!DOCTYPE html>
            <html lang="\(isGerman ? "de" : "en")">
            <head>
            <meta charset="utf-8">
            <title>\(HTML.escaped(strings.title)) \u{b7} rowgate</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="dark light">
            <link rel="icon" href="/assets/common/icon.svg">
            <link rel="stylesheet" href="/assets/common/base.css">
            <link rel="stylesheet" href="/assets/coach/coach.css">
            <link rel="stylesheet" href="/assets/common/light.css"
              media="\(appearance.theme.lightMedia)">
            </head>
            <body class="signin">
            <main>
            <article>
            <h1>\(HTML.escaped(strings.title))</h1>
            <p>\(HTML.escaped(strings.text))</p>
            \(paragraph)<p class="hint">\(failure.status) \(HTML.escaped(failure.code))</p>
            </article>
            </main>
            </body>
            </html>

            """
        return Array(page.utf8)
    }

    private static func strings(
        of failure: WebFailure, _ isGerman: Bool
    ) -> (title: String, text: String) {
        let (english, german) =
            byCode[failure.code] ?? byStatus[failure.status]
            ?? (
                (
                    "Something went wrong",
                    "Try again in a moment. If it stays, ask your club's administrator."
                ),
                (
                    "Das hat nicht geklappt",
                    "Bitte gleich noch einmal versuchen. Hilft das nicht, den Administrator fragen."
                )
            )
        return isGerman ? german : english
    }

    private typealias Strings = (title: String, text: String)

    private static let byCode: [String: (Strings, Strings)] = [
        "wrong_host": (
            (
                "Unknown server name",
                "This server does not know the name in the address bar. Use its IP address instead, "
                    + "or add the name to \"names\" below [http] in the logbook's configuration."
            ),
            (
                "Unbekannter Servername",
                "Dieser Server kennt den Namen in der Adresszeile nicht. Stattdessen seine "
                    + "IP-Adresse verwenden, oder den Namen in der Konfiguration des Logbuchs "
                    + "unter [http] bei \u{201e}names\u{201c} eintragen."
            )
        ),
        "cross_origin": (
            (
                "Request not accepted",
                "This request came from a page of another address, or JavaScript is turned off. "
                    + "Turn JavaScript on, and open the page of this server again."
            ),
            (
                "Anfrage nicht angenommen",
                "Eine Seite mit anderer Adresse hat dies gesendet, oder JavaScript ist ausgeschaltet. "
                    + "Bitte JavaScript einschalten und die Seite dieses Servers neu \u{f6}ffnen."
            )
        ),
        "invalid_link": (
            (
                "Link not valid",
                "This link has expired or was revoked. Ask the coach for a new one."
            ),
            (
                "Link nicht g\u{fc}ltig",
                "Dieser Link ist abgelaufen oder wurde gesperrt. Bitte den Trainer um einen neuen bitten."
            )
        ),
        "too_many_attempts": (
            (
                "Too many wrong attempts",
                "Wait a few minutes, then try again."
            ),
            (
                "Zu viele falsche Versuche",
                "Ein paar Minuten warten, dann noch einmal versuchen."
            )
        ),
    ]

    private static let byStatus: [UInt32: (Strings, Strings)] = [
        400: (
            ("Invalid request", "The logbook cannot read this request. Check the address."),
            (
                "Ung\u{fc}ltige Anfrage",
                "Das Logbuch kann diese Anfrage nicht lesen. Bitte die Adresse pr\u{fc}fen."
            )
        ),
        401: (
            ("Not signed in", "Sign in to see this page."),
            ("Nicht angemeldet", "Bitte anmelden, um diese Seite zu sehen.")
        ),
        403: (
            ("Not allowed", "Your token does not open this page. Sign in with another one."),
            (
                "Kein Zugriff",
                "Das Token dieses Browsers \u{f6}ffnet diese Seite nicht. Bitte mit einem anderen "
                    + "anmelden."
            )
        ),
        404: (
            ("Page not found", "There is no page at this address."),
            ("Seite nicht gefunden", "Unter dieser Adresse gibt es keine Seite.")
        ),
        405: methods, 411: methods, 413: methods, 415: methods,
        503: (
            ("Logbook busy", "The logbook is busy or restarting. Try again in a few seconds."),
            (
                "Logbuch besch\u{e4}ftigt",
                "Das Logbuch ist ausgelastet oder startet neu. Bitte in einigen Sekunden noch einmal "
                    + "versuchen."
            )
        ),
    ]

    private static let methods: (Strings, Strings) = (
        ("Request not supported", "This address does not accept what the browser sent."),
        (
            "Anfrage nicht m\u{f6}glich",
            "Diese Adresse nimmt nicht an, was der Browser gesendet hat."
        )
    )
}
