"""How people greet, thank, report, put off and correct."""

from __future__ import annotations

import re

_NO_NAME = (
    r"(?!(?:what|whats|what's|which|who|whos|who's|when|whens|where|wheres|where's|why|how|hows|how's|is|are|was|do"
    r"|does|did|can|could|will|would|should|shall|may|must|has|have|i|i'm|im|i've|we|you|he|she|they|the|a|an|this"
    r"|that|it|its|it's|my|your|our|just|quick|quickly|any|about|for|on|in|to|at|re|please|pls|one|two|some|q|sorry"
    r"|thanks|thx|so|and|if|not|no|got|need|here|question|sam|me|still|only|as|with|from)\b)"
)
_NAME = (
    rf"(?:\s+(?:there|all|everyone|everybody|both|team|folks|you (?:two|all|both)|{_NO_NAME}@?[\w.]+))?"
    r"(?:\s+(?-i:[A-Z][\w']+))?"
)
GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|hallo|hiya|moin|servus|salut|bonjour|ciao|hola|yo|dear|good (?:morning|afternoon|evening"
    rf"|day)|morning|afternoon|evening|greetings)\b{_NAME}\s*[,!.:;–—-]*\s*",
    re.IGNORECASE,
)
THANKS = re.compile(
    r"\b(?:thank(?:s| you)?|thx|ty|cheers|much appreciated|appreciate (?:it|that|your|the)|grateful|merci|danke)\b",
    re.IGNORECASE,
)
FINE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|perfect|got it|understood|alright|all right|good|fine|noted|cool|super|excellent"
    r"|wonderful|lovely|"
    r"nice|makes sense|very well|brilliant|awesome|sure|right|i see|clear|will do|sounds good|fair enough|no worries|"
    r"no problem|you(?:'re| are) welcome|any ?time|my pleasure|agreed|deal|that helps|very helpful|that (?:is"
    r"|was) (?:all|helpful|clear"
    r"|everything)(?: i need(?:ed)?)?|bye|see you(?: \w+)?|have a (?:nice|good|great) \w+|"
    r"talk (?:soon|later)|then|so|and|that|all|for now)\b[\s,!.;:👍🙂]*)++$",
    re.IGNORECASE,
)
SMALL_TALK = re.compile(
    r"\bhow(?:'s| is| are| was| were|s)\s+(?:it going|things|life|you(?:r)?\b(?! (?:deploy|review|report|merge"
    r"|test))[\s\w]*(?:doing|day|week|weekend|morning|today|monday|evening|holiday|trip|coffee)?\s*(?:\?|,|!|$)"
    r"|everything)"
    r"|\bhope (?:you|your|all)\b|\bgood start (?:in)?to\b|\b(?:nice|good|great|lovely) (?:weekend|weather"
    r"|to (?:meet|see) you)\b|\bfirst day\b.*\b(?:here|nice|glad|excited|nervous|new)\b"
    r"|\b(?:may|can|could) i (?:come (?:back )?to|bother|ping|write to|contact|ask) you\b(?=.*\b(?:later|again"
    r"|any ?time|if|when|with questions)\b)|\bhow(?:'s| is) the mood\b|\bwie geht'?s\b|\bbusy (?:with|before|day"
    r"|week)\b|\bcoffee or tea\b|\b(?:quiet|lovely) (?:weekend|start|evening)\b|\beveryone is (?:\w+ )?(?:nice"
    r"|kind)\b|\bweather\b|\bhappy (?:birthday|monday"
    r"|friday)\b|\bwhat'?s up\b|\b(?:any )?plans for the (?:weekend|evening)\b|\blooking forward to (?:working"
    r"|meeting)\b|\bhad (?:lunch|a (?:nice|good) (?:weekend|evening))\b",
    re.IGNORECASE,
)
DONE = re.compile(
    r"\b(?:done|finished|completed?|merged|uploaded|announced|posted|published|pushed|assigned|removed|opened|fixed"
    r"|updated|saved|written|"
    r"submitted|filled in|handed in|prepared|entered|booked|placed|corrected|repaired|resolved|created|ready"
    r"|in place|all set|sorted)\b"
    r"|\b(?:is|are|it's|its|now|everything is) (?:now (?:there|up|open|live|in|on|at)|there|in(?: main| the folder"
    r"| place)?|up|open|live|gone"
    r"|on the drive|in /)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:just )?(?:put|posted|sent|wrote|written|added|moved|entered|filed|told|announced"
    r"|opened|made|booked|set|shared|pushed|merged|uploaded|updated|changed|placed|ranked|dropped|left)\b",
    re.IGNORECASE,
)
NOT_YET = re.compile(
    r"\bnot (?:yet|done|ready|finished|there yet|quite|written|merged|started)\b|\b(?:have|has|did|do|is|are"
    r"|was)(?:n't|n’t| not)\b(?=.*\b(?:yet|written|done|finished|ready|merged|tested|started|begun|begin|tried"
    r"|looked|read|uploaded|run|got|had|checked)\b)"
    r"|\b(?:i'?ll|i will|we will|we'll|i'm going to|going to|about to|gonna)\b|\b(?:later"
    r"|in a (?:minute|moment|bit|while)|ten minutes|give me (?:a|an|ten|five|some|until|\d)|tomorrow|tonight"
    r"|soon)\b(?!.*\?)"
    r"|\bstill (?:working|writing|have to|need to|to do|missing|busy|on it)\b|\bi (?:only )?(?:need|have) to\b"
    r"|\bnot (?:have|had)\b|\bno test yet\b|\bwithout a test\b|\bcould(?:n't| not)\b.*\byet\b|\bwould (?:write|add"
    r"|do) it\b|\bplan(?:ning)? to\b|\bpromise\b|\bon it\b|\bi ask (?:him|her|them|(?-i:[A-Z])\w+)|\b(?:i'?m|i am"
    r"|we'?re|am|now|just) (?:now |just |still "
    r"|already )?(?:starting|writing|working|preparing|finishing|doing|testing|checking|running|collecting"
    r"|looking into|reading)\b|\bnothing\b.{0,40}\byet\b|\byet\W*$|\bstill (?:running|waiting|open|not)\b"
    r"|\bi (?:write|do|make|add|fix|finish|check|read|look at|start|prepare)\b.{0,40}\b(?:first|now|then|next|later"
    r"|today)\W*$|\bwill (?:ping|do|come|write|let|send|be|get|report|try|go|add|check|prepare|tell"
    r"|ask)\b|\bping you\b|\bstill red\b|\bnot through\b",
    re.IGNORECASE,
)
ALONE_NOT_YET = re.compile(
    r"^\W*(?:but )?(?:not (?:yet|done|ready|there yet|quite)|later|soon|tomorrow|tonight"
    r"|in a (?:minute|moment|bit|while))\W*$",
    re.IGNORECASE,
)
LACKS = re.compile(
    r"\bthere (?:is|are|was|were|'s) (?:not?|still no|not any)\b"
    r"|\b(?:i|we) (?:still )?(?:have|had|got|have got) (?:no|not any|none)\b"
    r"|\b(?:i|we) (?:do|did)(?:n't| not) (?:yet )?have\b|\b(?:is|are|was|were) (?:still )?missing\b"
    r"|^\W*(?:suppose|supposing|imagine|imagining|assume|assuming|pretend|provided|once|as soon as|unless|until"
    r"|let us (?:say|assume|pretend|imagine)|let's (?:say|assume|pretend|imagine)|say)\b"
    r"|\bif (?:i|we|you|there|it) (?:only )?(?:had|were|was|could|would)\b",
    re.IGNORECASE,
)
CORRECTS = re.compile(
    r"^\W*(?:(?:i'm |i am )?sorry\W*$|(?:i'm|i am) sorry,|no,? wait\b|sorry[,:]? (?:i meant?|no|not|wrong"
    r"|that should|typo|my mistake)|correction\b|i meant?\b|i mean\b"
    r"|no,? (?:i meant?|sorry)|wait,? (?:no|i meant?|sorry)|(?:oh|ah|oops)[,!]? (?:sorry|i meant?|no)|(?:sorry"
    r"|sry)[,.]?\s|\S+\*(?:\s|$)|\S+\*|.{0,60}\bi meant?\b|.{0,60},? (?:sry|sorry)\W*$|(?:argh|ugh),? sorry|typo\b"
    r"|my mistake|scratch (?:that|what)|oops\b|make that"
    r"|rather|.{0,40}, no wait\b)",
    re.IGNORECASE,
)
CALLS = re.compile(
    r"^\W*(?:hello|hi|hey|are you (?:there|around|in|free|busy)(?: (?:today|now|right now|at the moment))?|(?:got"
    r"|have|do you have) (?:you )?(?:a |some |one )?(?:minute|moment|second|sec|time)"
    r"(?: for me)?|(?:may|can|could) i (?:ask|bother|disturb) you (?:something|a question|for a (?:minute|moment"
    r"|second))|knock knock|anybody (?:there|home)"
    r"|quick question|(?:i have )?(?:a|one|two|some) (?:quick |short )?questions?)(?: (?:please|for you|now"
    r"|today))?\W*$",
    re.IGNORECASE,
)
PRESSES = re.compile(
    r"\b(?:come on|exception|(?:nobody|no one|no-one) (?:will|would|'ll|'d|cares|needs|is going|has to"
    r"|else)(?! (?:know|be) (?:about|in)\b)"
    r"|(?:he|she|they|it)(?:'d| would|'ll| will) (?:never|not even|hardly) (?:know|notice|find out|matter|mind)"
    r"|(?:just|only) (?:this|the) (?:once|one time)|just (?:say|tell|do|send|put|merge|approve|forward|round|add"
    r"|take|use|skip|ignore)"
    r"|nobody (?:will )?(?:minds?|notices?)|good enough|(?:can|could)(?:'t|n't| ?not)? (?:we|you"
    r"|i) (?:not )?(?:just|simply)|(?:couldn't|can't|could|can) (?:we|you) (?:not|at least)"
    r"|couldn't (?:we|you|i)|won'?t hurt|what (?:harm|difference) (?:would|does|could)|between (?:us|you and me"
    r"|the two of us)|off the record"
    r"|trust me|(?:don'?t|won'?t|not) tell (?:anybody|anyone|him|her|them|a soul)|without (?:asking|telling"
    r"|anybody)|what if i|skip|look the other way"
    r"|after the merge|impossible to guess|anyway\W*$|hurry up|a bit more|simpler without|pretty please|(?:do"
    r"|as) (?:me )?a favou?r"
    r"|bend the rules?|turn a blind eye"
    r"|(?:you|he|she|they) (?:already|also) (?:let|allowed|made)|it'?s only (?:a|one|some|two|the)|(?:a|one"
    r"|some) (?:little |small |tiny |rough )?(?:hint|clue)"
    r"|(?:is|are|was|keeps?|really) insist(?:s|ing|ed)?|would be (?:a (?:pity|shame)|quicker|faster|easier|simpler)"
    r"|(?:save|spare) (?:us|me|you|everybody|everyone)"
    r"|(?:it|that|this) is (?:really )?urgent|i (?:really|urgently) need|under pressure|leave out|leave (?:it|that"
    r"|the \w+) (?:out|off|away)|do without|anyway,? (?:ok|right"
    r"|you don't)|you (?:don't|wouldn't) mind)\b",
    re.IGNORECASE,
)
"""Somebody wants what they are not to have."""
SOCIABLE = re.compile(
    r"\b(?:coffee|tea|cakes?|biscuits?|cookies?|canteen|cafeteria|weekend|weather|rain(?:y|ing|s)?|sun(?:ny|shine)"
    r"|snow(?:ing|y)?"
    r"|football|birthday|chocolates?|beer|ice cream|sle(?:ep|pt)|tired|nervous|excited|lie-down|nap|dogs?|kids"
    r"|commute"
    r"|joke|joking|haha+|hehe|lol|phew|new here|nice to meet|good to meet|pleasure to meet|get(?:s"
    r"|ting)? (?:any )?(?:easier|better|used to)|oranges"
    r"|why is (?:it|that|this) called|where does the name|(?:like|enjoy|love) (?:it|working|being) here"
    r"|how long have you been|have you been (?:here|at|with)"
    r"|been (?:here|at larkspur|with (?:us|larkspur)) (?:for )?long|where are you from|treat(?:s|ing) you"
    r"|your (?:first|best|favou?rite)"
    r" (?:day|week|place|plant|flower|part of)|any tips for|for a newcomer|for someone new|what's it like"
    r"|what is it like|survived?|stress(?:ed|ful)?|hectic"
    r"|first (?:day|week|monday|morning)(?! of (?:nele|the|her|work))|mondays|lively|do you (?:also )?(?:always"
    r"|ever|usually) (?:work|have|get|start|sleep|dream|eat))\b",
    re.IGNORECASE,
)
"""Words that people pass the time with: where a sheet knows nothing about them, no fact is asked for."""
